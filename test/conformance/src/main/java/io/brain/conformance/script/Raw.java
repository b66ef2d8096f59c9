package io.brain.conformance.script;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls of any method with any bytes. */
final class Raw {

    private static final long ANSWER_SECONDS_MAX = 20;

    private Raw() {}

    /**
     * Sends these messages and the end of them; how many answers came, and the status.
     *
     * @param method as on the wire: "package.Service/Method"
     */
    static String call(Channel channel, String method, CallOptions options, List<byte[]> messages)
            throws InterruptedException {
        MethodDescriptor<byte[], byte[]> descriptor =
                MethodDescriptor.<byte[], byte[]>newBuilder()
                        .setType(MethodType.BIDI_STREAMING)
                        .setFullMethodName(method)
                        .setRequestMarshaller(RawBytes.MARSHALLER)
                        .setResponseMarshaller(RawBytes.MARSHALLER)
                        .build();
        AtomicInteger answers = new AtomicInteger();
        CompletableFuture<Status> end = new CompletableFuture<>();
        ClientCall<byte[], byte[]> call = channel.newCall(descriptor, options);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] answer) {
                        answers.incrementAndGet();
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());
        call.request(1);
        messages.forEach(call::sendMessage);
        call.halfClose();
        try {
            Status status = end.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
            return answers.get() + " answers, " + Outcome.text(status);
        } catch (TimeoutException e) {
            call.cancel("no end", null);
            return answers.get() + " answers, no end";
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end is never exceptional", e);
        }
    }
}
