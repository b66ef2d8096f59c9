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

/** A call with bytes for messages, so that a test can send what no client would. */
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

    final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
    final CompletableFuture<Status> status = new CompletableFuture<>();
    private final ClientCall<byte[], byte[]> call;

    /** A call that takes answers as they come. */
    RawCall(Channel channel, String method) {
        this(channel, method, new Metadata(), 1 << 20);
    }

    RawCall(Channel channel, String method, Metadata headers, int answersMax) {
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
                        answers.add(message);
                    }

                    @Override
                    public void onClose(Status closed, Metadata trailers) {
                        status.complete(closed);
                    }
                },
                headers);
        if (answersMax > 0) {
            call.request(answersMax);
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
        call.cancel("by the test", null);
    }

    /** The next answer; fails if there is none within a minute. */
    byte[] next() throws InterruptedException {
        byte[] answer = answers.poll(1, TimeUnit.MINUTES);
        if (answer == null) {
            throw new AssertionError("no answer; status " + status.getNow(null));
        }
        return answer;
    }

    /** How the call ended. */
    Status end() throws Exception {
        return status.get(1, TimeUnit.MINUTES);
    }
}
