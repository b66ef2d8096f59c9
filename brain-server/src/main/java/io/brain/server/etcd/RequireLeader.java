package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.model.ErrorKind;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Refuses at once, where the client wants a leader and there is none. */
final class RequireLeader implements ServerInterceptor {
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final Backend backend;

    RequireLeader(Backend backend) {
        this.backend = backend;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
        if ("true".equals(md.get(HAS_LEADER)) && backend.status().leaderId() == 0) {
            call.close(StatusMapper.of(ErrorKind.NO_LEADER), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return next.startCall(call, md);
    }
}
