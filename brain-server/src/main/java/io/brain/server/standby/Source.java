package io.brain.server.standby;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls to the cluster that a standby follows. Does not block. Thread-safe. */
final class Source {
    private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

    private static final Metadata.Key<String> GATEWAY = key("grpcgateway-accept");
    private static final List<Metadata.Key<String>> PASSED =
            List.of(key("token"), key("authorization"), key("hasleader"));

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Passes messages as they are. */
    static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
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
            };

    /** A response of which only the header is known: the other fields are of any type. */
    private static final MethodDescriptor.Marshaller<CompactionResponse> HEADER =
            ProtoUtils.marshaller(CompactionResponse.getDefaultInstance());

    private final Channel channel;

    /** Calls by a channel, which the caller closes. */
    Source(Channel channel) {
        this.channel = channel;
    }

    /**
     * Headers of a client's call that the source needs: who calls, and under which condition.
     *
     * @param checked true: as from a gateway, the certificate of this server names no caller. etcd
     *     logs a warning with each such call
     */
    static Metadata passed(Metadata client, boolean checked) {
        Metadata headers = new Metadata();
        for (Metadata.Key<String> key : PASSED) {
            Iterable<String> values = client.getAll(key);
            if (values != null) {
                values.forEach(value -> headers.put(key, value));
            }
        }
        if (checked) {
            headers.put(GATEWAY, "");
        }
        return headers;
    }

    /** Starts a call, in the gRPC context of the client's call. */
    ClientCall<byte[], byte[]> start(String method, MethodType type) {
        return start(method, type, CallOptions.DEFAULT);
    }

    private ClientCall<byte[], byte[]> start(String method, MethodType type, CallOptions options) {
        MethodDescriptor<byte[], byte[]> descriptor =
                MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
                        .setFullMethodName(method)
                        .setType(type)
                        .build();
        return channel.newCall(descriptor, options);
    }

    /** Passes a request on; fails with the source's status. */
    CompletableFuture<byte[]> call(String method, Message request, Metadata headers) {
        return call(start(method, MethodType.UNARY), request.toByteArray(), headers);
    }

    /**
     * The newest revision; no write that was answered before is newer. Not in the context of a
     * client's call, whose end would cancel it, as several calls wait for it; with a deadline of
     * its own, as the next ones wait for its end.
     */
    CompletableFuture<Long> newestRevision() {
        RangeRequest any = RangeRequest.newBuilder().setKey(ZERO).setCountOnly(true).build();
        CallOptions limited =
                CallOptions.DEFAULT.withDeadlineAfter(SourceReads.WAIT_SECONDS, TimeUnit.SECONDS);
        String range = KVGrpc.getRangeMethod().getFullMethodName();
        Context caller = Context.ROOT.attach();
        try {
            ClientCall<byte[], byte[]> call = start(range, MethodType.UNARY, limited);
            return call(call, any.toByteArray(), new Metadata()).thenApply(Source::revision);
        } finally {
            Context.ROOT.detach(caller);
        }
    }

    /** The revision in the header of a response, which is field 1 of all. */
    static long revision(byte[] response) {
        InputStream in = new ByteArrayInputStream(response);
        return HEADER.parse(in).getHeader().getRevision();
    }

    private static CompletableFuture<byte[]> call(
            ClientCall<byte[], byte[]> call, byte[] request, Metadata headers) {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    private byte[] response;

                    @Override
                    public void onMessage(byte[] message) {
                        response = message;
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        if (status.isOk() && response != null) {
                            result.complete(response);
                        } else {
                            Status failed = status.isOk() ? Status.INTERNAL : status;
                            result.completeExceptionally(failed.asRuntimeException());
                        }
                    }
                },
                headers);
        call.request(2);
        call.sendMessage(request);
        call.halfClose();
        return result;
    }
}
