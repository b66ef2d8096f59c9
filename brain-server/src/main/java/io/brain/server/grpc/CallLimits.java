package io.brain.server.grpc;

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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits of open calls, over all connections. Number: a call is open, and occupies memory, until
 * the client has taken the response; further calls fail with "too many requests". Bytes of
 * incomplete requests: above the limit the oldest of them fail with the same error. Time: a call
 * without a complete request fails after a minute with "request timed out". Thread-safe.
 */
public final class CallLimits extends ServerStreamTracer.Factory implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(CallLimits.class);
    private static final Context.Key<TrackedCall> KEY = Context.key("tracked-call");

    /** Approximate heap bytes of an open call. */
    private static final int CALL_BYTES = 16 << 10;

    /** Limit of incomplete requests as a fraction of the heap: 1/8. */
    private static final int INCOMPLETE_SHARE = 8;

    /** First bytes of a request, which are not counted: the number of calls bounds them. */
    private static final int UNCOUNTED_BYTES = 4 << 10;

    /** Heap bytes of each frame of an incomplete request, without its content. */
    private static final int FRAME_BYTES = 256;

    private static final Duration FIRST_REQUEST_MAX = Duration.ofMinutes(1);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);
    private static final long CHECKS_MAX = FIRST_REQUEST_MAX.dividedBy(CHECK_INTERVAL);

    private final long callsMax;
    private final long incompleteBytesMax;
    private final AtomicLong openCalls = new AtomicLong();

    /** Calls whose incomplete request is counted, oldest first; also the lock. */
    private final Set<TrackedCall> counted = new LinkedHashSet<>();

    /** Sum of their bytes; guarded by {@link #counted}. */
    private long incompleteBytes;

    /** Calls without a complete request. */
    private final Set<TrackedCall> waiting = ConcurrentHashMap.newKeySet();

    private final PeriodicCheck check;

    /** Creates the limits for this process. */
    public CallLimits(Scheduler scheduler) {
        this(callsMax(), Runtime.getRuntime().maxMemory() / INCOMPLETE_SHARE, scheduler);
    }

    CallLimits(long callsMax, long incompleteBytesMax, Scheduler scheduler) {
        this.callsMax = callsMax;
        this.incompleteBytesMax = incompleteBytesMax;
        this.check =
                new PeriodicCheck(
                        scheduler,
                        CHECK_INTERVAL,
                        waiting,
                        () -> waiting.forEach(TrackedCall::check));
    }

    /** Maximum number of open calls, streams included. */
    public static int callsMax() {
        return (int) Math.min(Runtime.getRuntime().maxMemory() / CALL_BYTES, Integer.MAX_VALUE);
    }

    /** The connection of the call in whose gRPC context this runs; null if there is no call. */
    public static Connection currentConnection() {
        TrackedCall call = KEY.get();
        return call == null ? null : call.connection;
    }

    /** Counted bytes of incomplete requests. */
    long incompleteBytes() {
        synchronized (counted) {
            return incompleteBytes;
        }
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        openCalls.incrementAndGet();
        return new TrackedCall();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (openCalls.get() > callsMax) {
            call.close(StatusMapper.of(ErrorKind.TOO_MANY_REQUESTS), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        TrackedCall tracked = KEY.get();
        tracked.start(call);
        waiting.add(tracked);
        check.start();
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onMessage(Q request) {
                tracked.requestCompleted();
                if (!tracked.rejected) {
                    super.onMessage(request);
                }
            }

            @Override
            public void onHalfClose() {
                if (!tracked.rejected) {
                    super.onHalfClose();
                }
            }
        };
    }

    /** A call and its incomplete request. Used by the connection's thread except where noted. */
    private final class TrackedCall extends ServerStreamTracer {
        private ServerCall<?, ?> call;
        private Connection connection;
        private boolean hasRequest;
        private boolean rejected;

        /** Number of checks without a complete request; used by the check only. */
        private long checks;

        /** Memory of the incomplete request. */
        private long bytes;

        /** The part of {@link #bytes} that is in the sum; written under the lock. */
        private volatile long countedBytes;

        /** True if the request will be rejected: what still arrives is not counted. Any thread. */
        private volatile boolean rejecting;

        @Override
        public Context filterContext(Context context) {
            return context.withValue(KEY, this);
        }

        private void start(ServerCall<?, ?> started) {
            call = started;
            connection = Connection.of(started);
        }

        private void requestCompleted() {
            if (!hasRequest) {
                hasRequest = true;
                waiting.remove(this);
            }
        }

        private void check() {
            checks++;
            if (checks > CHECKS_MAX && waiting.remove(this)) {
                reject(ErrorKind.TIMEOUT);
            }
        }

        @Override
        public void inboundWireSize(long more) {
            bytes += more + FRAME_BYTES;
            if (bytes > UNCOUNTED_BYTES && call != null) {
                count();
            }
        }

        /**
         * Counts new bytes, and rejects the oldest requests until the others are within the limit.
         */
        private void count() {
            List<TrackedCall> oldest = new ArrayList<>();
            synchronized (counted) {
                if (rejecting) {
                    return;
                }
                counted.add(this);
                incompleteBytes += bytes - countedBytes;
                countedBytes = bytes;
                Iterator<TrackedCall> calls = counted.iterator();
                while (incompleteBytes > incompleteBytesMax) {
                    TrackedCall next = calls.next();
                    calls.remove();
                    next.uncount();
                    next.rejecting = true;
                    oldest.add(next);
                }
            }
            for (TrackedCall rejected : oldest) {
                LOG.warn(
                        "too many bytes of incomplete requests, rejecting the oldest limitBytes={}",
                        incompleteBytesMax);
                rejected.reject(ErrorKind.TOO_MANY_REQUESTS);
            }
        }

        private void uncount() {
            incompleteBytes -= countedBytes;
            countedBytes = 0;
        }

        @Override
        public void inboundMessageRead(int number, long wireBytes, long uncompressedBytes) {
            bytes = 0;
            rejecting = false;
            release();
        }

        @Override
        public void streamClosed(Status status) {
            openCalls.decrementAndGet();
            if (!hasRequest) {
                waiting.remove(this);
            }
            release();
        }

        private void release() {
            if (countedBytes > 0) {
                synchronized (counted) {
                    counted.remove(this);
                    uncount();
                }
            }
        }

        /** Closes the call; or, if it had a request that may be in progress, the connection. */
        private void reject(ErrorKind reason) {
            connection.execute(
                    () -> {
                        if (hasRequest) {
                            if (bytes > 0) {
                                connection.drop();
                            }
                        } else if (!rejected) {
                            rejected = true;
                            close(StatusMapper.of(reason));
                        }
                    });
        }

        private void close(Status status) {
            try {
                call.close(status, new Metadata());
            } catch (IllegalStateException closed) {
                LOG.debug("call without request was closed meanwhile", closed);
            }
        }
    }
}
