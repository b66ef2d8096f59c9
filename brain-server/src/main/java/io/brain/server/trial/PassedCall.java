package io.brain.server.trial;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.function.BiConsumer;

/**
 * A call or stream that is passed on byte by byte, with its metadata. Keeps the first request and
 * the first response, for a comparison. Thread-safe.
 */
final class PassedCall extends ServerCall.Listener<byte[]> {
    private final ServerCall<byte[], byte[]> client;
    private final ClientCall<byte[], byte[]> source;
    private final BiConsumer<PassedCall, Status> ended;

    /** Null until it is there. */
    private volatile byte[] request;

    private volatile byte[] response;

    /**
     * Starts the call at the source.
     *
     * @param ended receives the call and its status, once
     */
    PassedCall(
            ServerCall<byte[], byte[]> client,
            Metadata headers,
            ClientCall<byte[], byte[]> source,
            BiConsumer<PassedCall, Status> ended) {
        this.client = client;
        this.source = source;
        this.ended = ended;
        source.start(new Responses(), headers);
        source.request(1);
        client.request(1);
    }

    /** Full name of the method. */
    String method() {
        return client.getMethodDescriptor().getFullMethodName();
    }

    /** The first request; null if there was none. */
    byte[] request() {
        return request;
    }

    /** The first response; null if there was none. */
    byte[] response() {
        return response;
    }

    @Override
    public void onMessage(byte[] message) {
        if (request == null) {
            request = message;
        }
        source.sendMessage(message);
        if (source.isReady()) {
            client.request(1);
        }
    }

    @Override
    public void onHalfClose() {
        source.halfClose();
    }

    @Override
    public void onCancel() {
        source.cancel("the client has ended the call", null);
    }

    @Override
    public void onReady() {
        source.request(1);
    }

    private final class Responses extends ClientCall.Listener<byte[]> {
        @Override
        public void onHeaders(Metadata headers) {
            client.sendHeaders(headers);
        }

        @Override
        public void onMessage(byte[] message) {
            if (response == null) {
                response = message;
            }
            client.sendMessage(message);
            if (client.isReady()) {
                source.request(1);
            }
        }

        @Override
        public void onReady() {
            client.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!client.isCancelled()) {
                client.close(status, trailers);
            }
            ended.accept(PassedCall.this, status);
        }
    }
}
