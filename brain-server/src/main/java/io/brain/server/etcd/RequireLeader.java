package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.Scheduler;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For calls whose client wants a leader: refuses them at once while there is none, and ends streams
 * that run when there was none for so long that none is about to come: a client that has to open
 * its watches again, or to list again, is a burden to the leader that follows.
 */
final class RequireLeader implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(RequireLeader.class);

    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    /** As in etcd, whose streams end when an election takes three times as long as it should. */
    private static final int LOOKS_MAX = 3;

    private final Backend backend;
    private final Scheduler scheduler;
    private final Duration election;
    private final Set<String> streams;
    private final Set<Guarded<?, ?>> running = ConcurrentHashMap.newKeySet();
    private int looksWithout;

    /**
     * Begins to look.
     *
     * @param election how long there is no leader, at most, when one is lost: how often to look
     * @param streams full names of the methods whose calls stay open
     */
    RequireLeader(Backend backend, Scheduler scheduler, Duration election, Set<String> streams) {
        this.backend = backend;
        this.scheduler = scheduler;
        this.election = election;
        this.streams = Set.copyOf(streams);
        lookLater();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
        if (!"true".equals(md.get(HAS_LEADER))) {
            return next.startCall(call, md);
        }
        if (backend.status().leaderId() == 0) {
            call.close(StatusMapper.of(ErrorKind.NO_LEADER), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        if (!streams.contains(call.getMethodDescriptor().getFullMethodName())) {
            return next.startCall(call, md);
        }
        Guarded<Q, A> guarded = new Guarded<>(call);
        ServerCall.Listener<Q> started = next.startCall(guarded, md);
        running.add(guarded); // its end cannot come before this method returns
        return new SimpleForwardingServerCallListener<>(started) {
            @Override
            public void onCancel() {
                running.remove(guarded);
                super.onCancel();
            }

            @Override
            public void onComplete() {
                running.remove(guarded);
                super.onComplete();
            }
        };
    }

    private void lookLater() {
        var unused = scheduler.schedule(election, Runnable::run, this::look);
    }

    private void look() {
        try {
            looksWithout = backend.status().leaderId() == 0 ? looksWithout + 1 : 0;
            if (looksWithout >= LOOKS_MAX) {
                running.forEach(this::end);
            }
        } catch (RuntimeException unexpected) {
            LOG.error("the check for a leader failed, will check again", unexpected);
        } finally {
            lookLater();
        }
    }

    private void end(Guarded<?, ?> stream) {
        running.remove(stream);
        try {
            stream.end();
        } catch (RuntimeException closed) {
            LOG.warn("a stream without a leader could not be ended: {}", closed.toString());
        }
    }

    /** A stream that another thread than its handler's may end. */
    private static final class Guarded<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private boolean closed;

        Guarded(ServerCall<Q, A> call) {
            super(call);
        }

        void end() {
            close(StatusMapper.of(ErrorKind.NO_LEADER), new Metadata());
        }

        @Override
        public synchronized void sendHeaders(Metadata headers) {
            if (!closed) {
                super.sendHeaders(headers);
            }
        }

        @Override
        public synchronized void sendMessage(A message) {
            if (!closed) {
                super.sendMessage(message);
            }
        }

        @Override
        public synchronized void close(Status status, Metadata trailers) {
            if (!closed) {
                closed = true;
                super.close(status, trailers);
            }
        }
    }
}
