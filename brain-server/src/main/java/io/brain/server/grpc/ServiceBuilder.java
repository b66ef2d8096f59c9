package io.brain.server.grpc;

import com.google.protobuf.Message;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.MethodDescriptor.ReflectableMarshaller;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Builds the definition of a gRPC service. Handlers must not block. */
public final class ServiceBuilder {
    private static final String UNARY_ERROR = "grpc: error unmarshalling request: ";
    private static final String STREAM_ERROR = "grpc: failed to unmarshal the received message: ";

    private final ServerServiceDefinition.Builder service;
    private final Limits limits;
    private final StallGuard stalls;

    /**
     * Limits of a request.
     *
     * @param bytesMax maximum length
     * @param nestingMax maximum depth of nested messages
     */
    public record Limits(int bytesMax, int nestingMax) {}

    /**
     * Encoding of responses.
     *
     * @param length length of an encoded response
     */
    public record Encoding<R>(Marshaller<R> marshaller, ToIntFunction<R> length) {
        /** Encoding of messages of the type of {@code prototype}. */
        public static <R extends Message> Encoding<R> of(R prototype) {
            return new Encoding<>(ProtoUtils.marshaller(prototype), Message::getSerializedSize);
        }
    }

    /**
     * Creates a builder.
     *
     * @param name full name of the service
     * @param stalls disconnects clients that do not read responses; null: no limit
     */
    public ServiceBuilder(String name, Limits limits, StallGuard stalls) {
        this.service = ServerServiceDefinition.builder(name);
        this.limits = limits;
        this.stalls = stalls;
    }

    /** Adds a unary method whose handler returns the response. */
    public <Q extends Message, R extends Message> ServiceBuilder immediate(
            MethodDescriptor<Q, R> method, Function<Q, R> handler) {
        return unary(method, request -> CompletableFuture.completedFuture(handler.apply(request)));
    }

    /** Adds a unary method that always fails. */
    public <Q extends Message, R extends Message> ServiceBuilder refused(
            MethodDescriptor<Q, R> method, Function<Q, StatusRuntimeException> error) {
        return immediate(
                method,
                request -> {
                    throw error.apply(request);
                });
    }

    /** Adds a unary method whose handler completes with the response. */
    public <Q extends Message, R extends Message> ServiceBuilder unary(
            MethodDescriptor<Q, R> method, Function<Q, CompletableFuture<R>> handler) {
        return unary(method, handler, response -> response);
    }

    /**
     * Adds a unary method.
     *
     * @param handler may complete the future on any thread; the end of the call cancels it
     * @param encoder makes the response of the handler's result
     */
    public <Q extends Message, T, R extends Message> ServiceBuilder unary(
            MethodDescriptor<Q, R> method,
            Function<Q, ? extends CompletableFuture<? extends T>> handler,
            Function<T, R> encoder) {
        return unary(
                method,
                Encoding.of(prototype(method.getResponseMarshaller())),
                request -> handler.apply(request.message()),
                encoder);
    }

    /** Adds a unary method whose response is another type with the same wire format. */
    public <Q extends Message, T, R> ServiceBuilder unary(
            MethodDescriptor<Q, ?> method,
            Encoding<R> encoding,
            Function<Request<Q>, ? extends CompletableFuture<? extends T>> handler,
            Function<T, R> encoder) {
        return calls(
                method,
                encoding,
                call -> new UnaryCall<>(call, handler, encoder, encoding.length(), stalls));
    }

    /** Adds a method whose calls {@code factory} creates. */
    public <Q extends Message, R> ServiceBuilder calls(
            MethodDescriptor<Q, ?> method,
            Encoding<R> encoding,
            Function<ServerCall<Request<Q>, R>, IncomingCall<Q, R>> factory) {
        boolean clientSendsOne = method.getType().clientSendsOneMessage();
        MethodDescriptor<Request<Q>, R> served =
                MethodDescriptor.<Request<Q>, R>newBuilder()
                        .setFullMethodName(method.getFullMethodName())
                        // All types are equal on the wire. grpc-java passes responses of streams
                        // to the transport at once, which makes it known when they are taken, and
                        // leaves superfluous requests to the handler.
                        .setType(MethodType.BIDI_STREAMING)
                        .setRequestMarshaller(
                                new RequestMarshaller<>(
                                        prototype(method.getRequestMarshaller()),
                                        limits,
                                        method.getType() == MethodType.UNARY
                                                ? UNARY_ERROR
                                                : STREAM_ERROR))
                        .setResponseMarshaller(encoding.marshaller())
                        .build();
        service.addMethod(
                served,
                (call, headers) -> {
                    IncomingCall<Q, R> incoming = factory.apply(call);
                    incoming.start(clientSendsOne);
                    return incoming;
                });
        return this;
    }

    public ServerServiceDefinition build() {
        return service.build();
    }

    private static <M extends Message> M prototype(Marshaller<M> marshaller) {
        return ((ReflectableMarshaller<M>) marshaller)
                .getMessageClass()
                .cast(((PrototypeMarshaller<M>) marshaller).getMessagePrototype());
    }
}
