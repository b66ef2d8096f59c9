package io.brain.server.etcd;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.MethodDescriptor.ReflectableMarshaller;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Puts a service together from its methods. */
final class ServiceBuilder {
    private static final String UNARY = "grpc: error unmarshalling request: ";
    private static final String STREAM = "grpc: failed to unmarshal the received message: ";

    private final ServerServiceDefinition.Builder service;
    private final int messageBytesMax;
    private final StallGuard stalls;

    ServiceBuilder(String name, int messageBytesMax, StallGuard stalls) {
        this.service = ServerServiceDefinition.builder(name);
        this.messageBytesMax = messageBytesMax;
        this.stalls = stalls;
    }

    /** A unary method. */
    <Q extends Message, T, A extends Message> ServiceBuilder unary(
            MethodDescriptor<Q, A> method, Starter<Q, T> starter, Function<T, A> renderer) {
        A prototype = prototype(method.getResponseMarshaller());
        return unaryAs(method, AnswerForm.of(prototype), starter, renderer);
    }

    /** A unary method that is answered, or refused by an exception, at once. */
    <Q extends Message, A extends Message> ServiceBuilder immediate(
            MethodDescriptor<Q, A> method, Function<Q, A> handler) {
        return unary(
                method,
                (request, bytes) -> CompletableFuture.completedFuture(handler.apply(request)),
                answer -> answer);
    }

    /** A unary method that is always refused. */
    <Q extends Message, A extends Message> ServiceBuilder refused(
            MethodDescriptor<Q, A> method, Function<Q, StatusRuntimeException> reason) {
        return immediate(
                method,
                request -> {
                    throw reason.apply(request);
                });
    }

    /** A unary method whose answer is sent as another message of the same form on the wire. */
    <Q extends Message, T, A> ServiceBuilder unaryAs(
            MethodDescriptor<Q, ?> method,
            AnswerForm<A> form,
            Starter<Q, T> starter,
            Function<T, A> renderer) {
        UnaryHandler<Q, T, A> handler =
                new UnaryHandler<>(starter, renderer, form.length(), stalls);
        return streaming(method, form, handler);
    }

    /** A method that is handled call by call. */
    <Q extends Message, A> ServiceBuilder streaming(
            MethodDescriptor<Q, ?> method,
            AnswerForm<A> form,
            ServerCallHandler<Inbound<Q>, A> handler) {
        boolean oneRequest = method.getType().clientSendsOneMessage();
        MethodDescriptor<Inbound<Q>, A> served =
                MethodDescriptor.<Inbound<Q>, A>newBuilder()
                        .setFullMethodName(method.getFullMethodName())
                        // Every call looks the same on the wire. As streams, answers are handed to
                        // the transport at once, so that it can be seen whether they are taken, and
                        // a request too many is not the transport's business.
                        .setType(MethodType.BIDI_STREAMING)
                        .setRequestMarshaller(
                                new RequestMarshaller<>(
                                        prototype(method.getRequestMarshaller()),
                                        messageBytesMax,
                                        oneRequest ? UNARY : STREAM))
                        .setResponseMarshaller(form.marshaller())
                        .build();
        service.addMethod(served, handler);
        return this;
    }

    ServerServiceDefinition build() {
        return service.build();
    }

    private static <M extends Message> M prototype(Marshaller<M> marshaller) {
        return ((ReflectableMarshaller<M>) marshaller)
                .getMessageClass()
                .cast(((PrototypeMarshaller<M>) marshaller).getMessagePrototype());
    }
}
