package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletionStage;

/**
 * A stream that the source serves. It ends with UNAVAILABLE at the cutover, so that the client
 * opens it again. Thread-safe.
 */
final class PassedStream<Q> extends ServerCall.Listener<Request<Q>> {
    private static final Status MOVED =
            Status.UNAVAILABLE.withDescription("brain: the cluster has moved; connect again");

    private final ServerCall<Request<Q>, Object> call;
    private final ClientCall<byte[], byte[]> source;

    /** Guarded by this. */
    private boolean closed;

    /**
     * Starts the stream.
     *
     * @param moved completes at the cutover
     */
    PassedStream(
            ServerCall<Request<Q>, Object> call,
            ClientCall<byte[], byte[]> source,
            CompletionStage<Void> moved) {
        this.call = call;
        this.source = source;
        source.start(new Responses(), new Metadata());
        source.request(1);
        call.request(1);
        var unused = moved.thenRun(() -> end(MOVED));
    }

    private void end(Status status) {
        close(status);
        source.cancel("the client's stream has ended", null);
    }

    private synchronized void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    @Override
    public void onMessage(Request<Q> request) {
        if (request.refusal() != null) {
            end(request.refusal());
            return;
        }
        source.sendMessage(((Message) request.message()).toByteArray());
        if (source.isReady()) {
            call.request(1);
        }
    }

    @Override
    public void onHalfClose() {
        source.halfClose();
    }

    @Override
    public void onCancel() {
        source.cancel("the client has left", null);
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
