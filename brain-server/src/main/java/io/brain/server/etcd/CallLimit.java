package io.brain.server.etcd;

import io.brain.backend.model.ErrorKind;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Refuses calls while too many are open: a call stays open, and takes memory, until its client has
 * taken the answer. Thread-safe.
 */
final class CallLimit extends ServerStreamTracer.Factory implements ServerInterceptor {
    private final long callsMax;
    private final AtomicLong open = new AtomicLong();
    private final ServerStreamTracer ends =
            new ServerStreamTracer() {
                @Override
                public void streamClosed(Status status) {
                    open.decrementAndGet();
                }
            };

    CallLimit(long callsMax) {
        this.callsMax = callsMax;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        open.incrementAndGet();
        return ends;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
        if (open.get() > callsMax) {
            call.close(StatusMapper.of(ErrorKind.TOO_MANY_REQUESTS), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return next.startCall(call, md);
    }
}
