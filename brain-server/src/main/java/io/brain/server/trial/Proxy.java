package io.brain.server.trial;

import io.brain.proto.etcd.KVGrpc;
import io.brain.server.auth.MethodAccess;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Passes all gRPC calls on to the source, and gives the ranges that it has answered to a
 * comparison. Thread-safe.
 */
final class Proxy implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 64 << 20;

    /** Other names of methods are counted together: they are the clients' texts. */
    private static final int METHODS_MAX = 200;

    private static final String RANGE = KVGrpc.getRangeMethod().getFullMethodName();

    private final Channel source;
    private final Answers answers;
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final Server server;

    /** Listens. */
    Proxy(InetSocketAddress address, Channel source, Answers answers) throws IOException {
        this.source = source;
        this.answers = answers;
        server =
                NettyServerBuilder.forAddress(address)
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .fallbackHandlerRegistry(new AllMethods())
                        .build()
                        .start();
    }

    /** Number of calls by method. */
    Map<String, Long> calls() {
        Map<String, Long> counts = new TreeMap<>();
        calls.forEach((method, count) -> counts.put(method, count.sum()));
        return counts;
    }

    /** Those of {@link #calls} that Brain does not serve. */
    Map<String, Long> notServed() {
        Map<String, Long> counts = calls();
        counts.keySet().removeIf(method -> MethodAccess.of(method) != null);
        return counts;
    }

    private final class AllMethods extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String method, String authority) {
            MethodDescriptor<byte[], byte[]> descriptor =
                    MethodDescriptor.<byte[], byte[]>newBuilder(Bytes.SAME, Bytes.SAME)
                            .setFullMethodName(method)
                            .setType(MethodType.UNKNOWN)
                            .build();
            return ServerMethodDefinition.create(
                    descriptor, (call, headers) -> pass(descriptor, call, headers));
        }
    }

    private PassedCall pass(
            MethodDescriptor<byte[], byte[]> method,
            ServerCall<byte[], byte[]> call,
            Metadata headers) {
        String name = method.getFullMethodName();
        String counted =
                calls.containsKey(name) || calls.size() < METHODS_MAX ? name : "other methods";
        calls.computeIfAbsent(counted, key -> new LongAdder()).increment();
        return new PassedCall(
                call, headers, source.newCall(method, CallOptions.DEFAULT), this::ended);
    }

    private void ended(PassedCall call, Status status) {
        String name = call.method();
        if (name.equals(RANGE) && call.request() != null) {
            answers.offer(call.request(), call.response(), status);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    /** Messages as they are. */
    private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
        SAME;

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try (stream) {
                return stream.readAllBytes();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
    }
}
