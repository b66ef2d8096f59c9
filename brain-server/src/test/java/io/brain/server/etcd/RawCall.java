package io.brain.server.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A call whose messages are bytes, for invalid requests. */
final class RawCall {
    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new ByteArrayInputStream(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return stream.readAllBytes();
                    } catch (IOException lost) {
                        throw new UncheckedIOException(lost);
                    }
                }
            };

    final BlockingQueue<byte[]> responses = new LinkedBlockingQueue<>();
    final CompletableFuture<Status> status = new CompletableFuture<>();
    private final ClientCall<byte[], byte[]> call;

    /** Starts a call that receives all responses. */
    RawCall(Channel channel, String method) {
        this(channel, method, new Metadata(), 1 << 20);
    }

    RawCall(Channel channel, String method, Metadata headers, int requested) {
        MethodDescriptor<byte[], byte[]> descriptor =
                MethodDescriptor.newBuilder(BYTES, BYTES)
                        .setFullMethodName(method)
                        .setType(MethodType.BIDI_STREAMING)
                        .build();
        call = channel.newCall(descriptor, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        responses.add(message);
                    }

                    @Override
                    public void onClose(Status closed, Metadata trailers) {
                        status.complete(closed);
                    }
                },
                headers);
        if (requested > 0) {
            call.request(requested);
        }
    }

    RawCall send(byte[] message) {
        call.sendMessage(message);
        return this;
    }

    RawCall halfClose() {
        call.halfClose();
        return this;
    }

    void request(int more) {
        call.request(more);
    }

    void cancel() {
        call.cancel("cancelled by the test", null);
    }

    /** The next response; fails after a minute. */
    byte[] next() throws InterruptedException {
        byte[] response = responses.poll(1, TimeUnit.MINUTES);
        if (response == null) {
            throw new AssertionError("no response; status " + status.getNow(null));
        }
        return response;
    }

    /** The status of the call. */
    Status end() throws Exception {
        return status.get(1, TimeUnit.MINUTES);
    }
}
