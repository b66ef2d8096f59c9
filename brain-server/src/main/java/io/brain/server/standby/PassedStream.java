package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.function.Consumer;

/** A stream that the source serves. Thread-safe. */
final class PassedStream<Q> extends ServerCall.Listener<Request<Q>> {
    private static final Status MOVED =
            Status.UNAVAILABLE.withDescription("brain: the cluster has moved; connect again");

    private final ServerCall<Request<Q>, Object> call;
    private final ClientCall<byte[], byte[]> source;
    private final Consumer<PassedStream<?>> ended;

    /** Guarded by this. */
    private boolean closed;

    /**
     * A stream; {@link #start} follows.
     *
     * @param ended called once at the end
     */
    PassedStream(
            ServerCall<Request<Q>, Object> call,
            ClientCall<byte[], byte[]> source,
            Consumer<PassedStream<?>> ended) {
        this.call = call;
        this.source = source;
        this.ended = ended;
    }

    /**
     * Begins.
     *
     * @param headers for the source
     */
    void start(Metadata headers) {
        source.start(new Responses(), headers);
        source.request(1);
        call.request(1);
    }

    /** Ends the stream with UNAVAILABLE, so that the client opens it again. */
    void move() {
        end(MOVED);
    }

    private void end(Status status) {
        close(status);
        source.cancel("the client's stream has ended", null);
    }

    private void close(Status status) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (!call.isCancelled()) {
                call.close(status, new Metadata());
            }
        }
        ended.accept(this);
    }

    @Override
    public void onMessage(Request<Q> request) {
        if (request.refusal() != null) {
            end(request.refusal());
            return;
        }
        synchronized (this) {
            if (closed) {
                return;
            }
            source.sendMessage(((Message) request.message()).toByteArray());
        }
        if (source.isReady()) {
            call.request(1);
        }
    }

    @Override
    public synchronized void onHalfClose() {
        if (!closed) {
            source.halfClose();
        }
    }

    @Override
    public void onCancel() {
        end(Status.CANCELLED);
    }

    @Override
    public void onReady() {
        source.request(1);
    }

    private final class Responses extends ClientCall.Listener<byte[]> {
        private boolean headersSent;

        @Override
        public void onMessage(byte[] response) {
            synchronized (PassedStream.this) {
                if (closed) {
                    return;
                }
                if (!headersSent) {
                    headersSent = true;
                    call.sendHeaders(new Metadata());
                }
                call.sendMessage(response);
            }
            if (call.isReady()) {
                source.request(1);
            }
        }

        @Override
        public void onReady() {
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            close(status);
        }
    }
}
