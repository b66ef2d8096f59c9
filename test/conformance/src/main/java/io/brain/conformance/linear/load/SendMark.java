package io.brain.conformance.linear.load;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Knows whether a call ever reached a connection. For one call; thread-safe. */
final class SendMark extends ClientStreamTracer.Factory implements ClientInterceptor {

    private volatile boolean sent;

    /** False if no server can have heard of the call. */
    boolean sent() {
        return sent;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return next.newCall(method, options.withStreamTracerFactory(this));
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
            ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new ClientStreamTracer() {
            @Override
            public void streamCreated(Attributes transport, Metadata sentHeaders) {
                sent = true;
            }
        };
    }
}
