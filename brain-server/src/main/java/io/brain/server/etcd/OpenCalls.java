package io.brain.server.etcd;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.Scheduler;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the calls that are open, over all connections. In number: a call stays open, and takes
 * memory, until its client has taken the answer; beyond the bound calls are refused with "too many
 * requests". In bytes of requests that have not arrived completely: beyond the bound the oldest of
 * them end with the same. In time: a call whose first request is not there after a minute ends with
 * "request timed out". Thread-safe.
 */
final class OpenCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(OpenCalls.class);
    private static final Context.Key<Arrival> KEY = Context.key("arrival");

    /** A request's first bytes, which are not counted: the limit of calls bounds them. */
    private static final int UNCOUNTED_BYTES = 4 << 10;

    /** What each piece of an unfinished request takes besides its bytes. */
    private static final int PIECE_BYTES = 256;

    private static final Duration FIRST_REQUEST_MAX = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final long LOOKS_MAX = FIRST_REQUEST_MAX.dividedBy(LOOK);

    private final long callsMax;
    private final long bytesMax;
    private final Scheduler scheduler;
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** Those with counted bytes. */
    private final Set<Arrival> large = ConcurrentHashMap.newKeySet();

    /** Calls without a first request. */
    private final Set<Arrival> waiting = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicLong numbers = new AtomicLong();

    /**
     * No calls yet.
     *
     * @param bytesMax bytes of unfinished requests on all connections together
     */
    OpenCalls(long callsMax, long bytesMax, Scheduler scheduler) {
        this.callsMax = callsMax;
        this.bytesMax = bytesMax;
        this.scheduler = scheduler;
    }

    /** Counted bytes of unfinished requests. */
    long bytes() {
        return bytes.get();
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        open.incrementAndGet();
        return new Arrival();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
        if (open.get() > callsMax) {
            call.close(StatusMapper.of(ErrorKind.TOO_MANY_REQUESTS), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        Arrival arrival = KEY.get();
        arrival.begin(call);
        waiting.add(arrival);
        lookLater();
        return new SimpleForwardingServerCallListener<>(next.startCall(call, md)) {
            @Override
            public void onMessage(Q message) {
                if (arrival.first()) {
                    super.onMessage(message);
                }
            }

            @Override
            public void onHalfClose() {
                if (!arrival.ended) {
                    super.onHalfClose();
                }
            }
        };
    }

    private void lookLater() {
        if (!looking.get() && looking.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void schedule() {
        var unused = scheduler.schedule(LOOK, Runnable::run, this::look);
    }

    private void look() {
        try {
            waiting.forEach(Arrival::look);
        } catch (RuntimeException failed) { // a connection that is being closed takes no tasks
            LOG.warn("looking for calls without a request failed, will look again", failed);
        }
        if (!waiting.isEmpty()) {
            schedule();
            return;
        }
        looking.set(false);
        if (!waiting.isEmpty()) { // came in between
            lookLater();
        }
    }

    /** Ends the oldest until the others are within the bound. */
    private void makeRoom() {
        while (bytes.get() > bytesMax) {
            Arrival oldest =
                    large.stream().min(Comparator.comparingLong(a -> a.number)).orElse(null);
            if (oldest == null) {
                return;
            }
            oldest.doomed = true;
            if (oldest.release()) {
                LOG.warn(
                        "more than {} bytes of unfinished requests: the oldest is ended", bytesMax);
                oldest.end(ErrorKind.TOO_MANY_REQUESTS);
            }
        }
    }

    /** A call, and the request of it that is arriving. Its connection's thread brings the bytes. */
    private final class Arrival extends ServerStreamTracer {
        private ServerCall<?, ?> call;
        private Connection connection;
        private boolean hasFirst;
        private boolean ended;

        /** It is going to be ended: what still arrives of it does not count. */
        private volatile boolean doomed;

        /** Looks at the call while it had no first request; belongs to whoever looks. */
        private long looks;

        /** Bytes that the request that is arriving takes. */
        private long arrived;

        /** The order in which unfinished requests became large; 0: this one did not. */
        private volatile long number;

        /** Of {@link #arrived}, what is in the sum of all. */
        private long counted;

        @Override
        public Context filterContext(Context context) {
            return context.withValue(KEY, this);
        }

        private void begin(ServerCall<?, ?> begun) {
            call = begun;
            connection = Connection.of(begun);
        }

        /** A request is there; false if the call was ended before. */
        private boolean first() {
            if (!hasFirst) {
                hasFirst = true;
                waiting.remove(this);
            }
            return !ended;
        }

        private void look() {
            looks++;
            if (looks > LOOKS_MAX && waiting.remove(this)) {
                end(ErrorKind.TIMEOUT);
            }
        }

        @Override
        public void inboundWireSize(long more) {
            arrived += more + PIECE_BYTES;
            if (arrived <= UNCOUNTED_BYTES || doomed || call == null) {
                return;
            }
            if (count() > bytesMax) {
                makeRoom();
            }
        }

        /** Adds what has arrived to the sum of all, which it answers. */
        private synchronized long count() {
            if (counted == 0) {
                number = numbers.incrementAndGet();
                large.add(this);
            }
            long more = arrived - counted;
            counted = arrived;
            return bytes.addAndGet(more);
        }

        @Override
        public void inboundMessageRead(int number, long wireBytes, long uncompressedBytes) {
            arrived = 0;
            doomed = false;
            release();
        }

        @Override
        public void streamClosed(Status status) {
            open.decrementAndGet();
            if (!hasFirst) {
                waiting.remove(this);
            }
            release();
        }

        /** Takes its bytes out of the sum; false if it has none there. */
        private boolean release() {
            return number != 0 && uncount();
        }

        private synchronized boolean uncount() {
            if (!large.remove(this)) {
                return false;
            }
            bytes.addAndGet(-counted);
            counted = 0;
            return true;
        }

        /** Ends the call, on its connection's thread; or the connection if others answer, too. */
        private void end(ErrorKind why) {
            connection.execute(
                    () -> {
                        if (hasFirst) {
                            if (arrived > 0) {
                                connection.drop();
                            }
                        } else if (!ended) {
                            ended = true;
                            close(StatusMapper.of(why));
                        }
                    });
        }

        private void close(Status status) {
            try {
                call.close(status, new Metadata());
            } catch (IllegalStateException alreadyClosed) {
                LOG.debug("a call without a request was closed meanwhile", alreadyClosed);
            }
        }
    }
}
