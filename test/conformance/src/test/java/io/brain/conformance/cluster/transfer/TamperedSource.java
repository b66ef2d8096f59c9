package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Passes calls to a server, and changes the answers to ranges that begin with a known key. */
final class TamperedSource implements AutoCloseable {
    private static final String RANGE = KVGrpc.getRangeMethod().getFullMethodName();
    private static final int MESSAGE_BYTES_MAX = 64 << 20;

    /** What is changed, by the key that the range begins with. */
    static final Map<String, Consumer<RangeResponse.Builder>> CHANGES =
            Map.of(
                    "t/value",
                    first(kv -> kv.setValue(ByteString.copyFromUtf8("other"))),
                    "t/create",
                    first(kv -> kv.setCreateRevision(kv.getCreateRevision() + 1)),
                    "t/mod",
                    first(kv -> kv.setModRevision(kv.getModRevision() + 1)),
                    "t/version",
                    first(kv -> kv.setVersion(kv.getVersion() + 1)),
                    "t/lease",
                    first(kv -> kv.setLease(77)),
                    "t/count",
                    response -> response.setCount(response.getCount() + 1),
                    "t/more",
                    response -> response.setMore(!response.getMore()),
                    "t/order",
                    TamperedSource::reverse,
                    "t/missing",
                    response -> response.removeKvs(0),
                    "t/extra",
                    response ->
                            response.addKvs(
                                    KeyValue.newBuilder()
                                            .setKey(ByteString.copyFromUtf8("t/extra2"))));

    private final ManagedChannel channel;
    private final Server server;

    TamperedSource(String target, int port) throws IOException {
        channel =
                NettyChannelBuilder.forTarget(target)
                        .usePlaintext()
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .build();
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .fallbackHandlerRegistry(new AllMethods())
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .build()
                        .start();
    }

    private static Consumer<RangeResponse.Builder> first(Consumer<KeyValue.Builder> change) {
        return response -> change.accept(response.getKvsBuilder(0));
    }

    private static void reverse(RangeResponse.Builder response) {
        List<KeyValue> kvs = new ArrayList<>(response.getKvsList());
        Collections.reverse(kvs);
        response.clearKvs().addAllKvs(kvs);
    }

    @Override
    public void close() {
        server.shutdownNow();
        channel.shutdownNow();
    }

    private final class AllMethods extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String method, String authority) {
            MethodDescriptor<byte[], byte[]> descriptor =
                    MethodDescriptor.<byte[], byte[]>newBuilder(Raw.BYTES, Raw.BYTES)
                            .setFullMethodName(method)
                            .setType(MethodType.UNKNOWN)
                            .build();
            return ServerMethodDefinition.create(
                    descriptor, (call, headers) -> new Passed(call, headers));
        }
    }

    private final class Passed extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> client;
        private final ClientCall<byte[], byte[]> source;
        private volatile byte[] request;

        Passed(ServerCall<byte[], byte[]> client, Metadata headers) {
            this.client = client;
            this.source = channel.newCall(client.getMethodDescriptor(), CallOptions.DEFAULT);
            source.start(new Responses(), headers);
            source.request(Integer.MAX_VALUE);
            client.request(Integer.MAX_VALUE);
        }

        @Override
        public void onMessage(byte[] message) {
            request = message;
            source.sendMessage(message);
        }

        @Override
        public void onHalfClose() {
            source.halfClose();
        }

        @Override
        public void onCancel() {
            source.cancel("ended", null);
        }

        private final class Responses extends ClientCall.Listener<byte[]> {
            @Override
            public void onHeaders(Metadata headers) {
                client.sendHeaders(headers);
            }

            @Override
            public void onMessage(byte[] message) {
                boolean range = client.getMethodDescriptor().getFullMethodName().equals(RANGE);
                client.sendMessage(range ? changed(message) : message);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                if (!client.isCancelled()) {
                    client.close(status, trailers);
                }
            }
        }

        private byte[] changed(byte[] message) {
            try {
                String key = RangeRequest.parseFrom(request).getKey().toStringUtf8();
                RangeResponse.Builder response = RangeResponse.parseFrom(message).toBuilder();
                CHANGES.getOrDefault(key, unchanged -> {}).accept(response);
                return response.build().toByteArray();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
    }

    private enum Raw implements MethodDescriptor.Marshaller<byte[]> {
        BYTES;

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
    }
}
