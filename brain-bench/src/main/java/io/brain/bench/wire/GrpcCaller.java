package io.brain.bench.wire;

import io.brain.proto.etcd.WatchRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A connection with grpc-java, without retries, tracing, statistics and executor. */
public final class GrpcCaller implements Caller {

    private static final int WINDOW_BYTES = 8 << 20;
    private static final int ANSWER_BYTES_MAX = Integer.MAX_VALUE;

    private static final MethodDescriptor<byte[], byte[]> WATCH = method(Rpc.WATCH, new Bytes());

    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;
    private final String token;
    private final Map<Rpc, MethodDescriptor<byte[], Answer>> methods = new EnumMap<>(Rpc.class);

    /**
     * Creates a connection to a local port, opened by the first call.
     *
     * @param token sent with each call; empty for none
     */
    public GrpcCaller(Loop loop, int port, String token) {
        this.token = token;
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .directExecutor()
                        .eventLoopGroup(loop.group())
                        .channelType(NioSocketChannel.class)
                        .flowControlWindow(WINDOW_BYTES)
                        .maxInboundMessageSize(ANSWER_BYTES_MAX)
                        .disableRetry();
        InternalNettyChannelBuilder.setStatsEnabled(builder, false);
        InternalNettyChannelBuilder.setTracingEnabled(builder, false);
        this.channel = builder.build();
        for (Rpc rpc : Rpc.values()) {
            methods.put(rpc, method(rpc, new Answers()));
        }
    }

    @Override
    public void call(Rpc rpc, byte[] request, Reply reply) {
        ClientCall<byte[], Answer> call = channel.newCall(methods.get(rpc), CallOptions.DEFAULT);
        call.start(new Unary(reply), headers());
        call.request(2); // a second message would be an error
        call.sendMessage(request);
        call.halfClose();
    }

    /** Opens a watch stream like kube-apiserver's. */
    public WatchStream watch(WatchStream.Receiver receiver) {
        ClientCall<byte[], byte[]> call = channel.newCall(WATCH, CallOptions.DEFAULT);
        Metadata headers = headers();
        headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] response) {
                        call.request(1);
                        receiver.received(response);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        if (status.getCode() != Status.Code.CANCELLED) {
                            receiver.failed(status.toString());
                        }
                    }
                },
                headers);
        call.request(1);
        return new WatchStream() {
            @Override
            public void send(WatchRequest request) {
                call.sendMessage(request.toByteArray());
            }

            @Override
            public void cancel() {
                call.cancel("done", null);
            }
        };
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        if (!token.isEmpty()) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> MethodDescriptor<byte[], T> method(
            Rpc rpc, MethodDescriptor.Marshaller<T> answers) {
        return MethodDescriptor.<byte[], T>newBuilder()
                .setType(
                        rpc.isStream()
                                ? MethodDescriptor.MethodType.BIDI_STREAMING
                                : MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(rpc.fullName())
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(answers)
                .build();
    }

    private static final class Unary extends ClientCall.Listener<Answer> {
        private final Reply reply;
        private Answer answer;

        Unary(Reply reply) {
            this.reply = reply;
        }

        @Override
        public void onMessage(Answer message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.isOk() && answer != null) {
                reply.answered(answer);
            } else {
                reply.failed(status.toString());
            }
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream in) {
            try {
                return in.readNBytes(in.available()); // the message is complete
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class Answers implements MethodDescriptor.Marshaller<Answer> {
        @Override
        public InputStream stream(Answer answer) {
            throw new UnsupportedOperationException("answers are only received");
        }

        @Override
        public Answer parse(InputStream in) {
            try {
                return Answer.read(in);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
