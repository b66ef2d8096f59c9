package io.brain.server.etcd;

import io.brain.server.logging.AccessLog;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import java.util.Set;

/** Watches calls for the access log. There only if there is such a log. */
final class AccessCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
    private final AccessLog log;
    private final Set<String> streams;

    /**
     * Watches calls.
     *
     * @param streams full names of the methods whose calls stay open
     */
    AccessCalls(AccessLog log, Set<String> streams) {
        this.log = log;
        this.streams = Set.copyOf(streams);
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        return new AccessCall(log, fullMethodName, streams.contains(fullMethodName));
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
        AccessCall seen = AccessCall.of(Context.current());
        ServerCall<Q, A> watched =
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendMessage(A answer) {
                        seen.answered(answer);
                        super.sendMessage(answer);
                    }
                };
        return new SimpleForwardingServerCallListener<>(next.startCall(watched, md)) {
            @Override
            public void onMessage(Q request) {
                seen.asked(request);
                super.onMessage(request);
            }
        };
    }
}
