package io.brain.server.auth;

import io.brain.backend.model.BackendException;
import io.brain.server.auth.MethodAccess.Need;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Lets a call know its caller, and refuses it if the caller may not call its method. */
public final class AccessInterceptor implements ServerInterceptor {
    private final Callers callers;

    public AccessInterceptor(Callers callers) {
        this.callers = callers;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Context named = callers.context(headers, call.getAttributes());
        if (callers.areChecked()) {
            BackendException refusal = refusal(call, named);
            if (refusal != null) {
                call.close(StatusMapper.of(refusal), new Metadata());
                return new ServerCall.Listener<>() {};
            }
        }
        return named == null
                ? next.startCall(call, headers)
                : Contexts.interceptCall(named, call, headers, next);
    }

    private BackendException refusal(ServerCall<?, ?> call, Context named) {
        Need need = MethodAccess.of(call.getMethodDescriptor().getFullMethodName());
        if (need == null) {
            return null; // no service has the method
        }
        Context before = named == null ? null : named.attach();
        try {
            callers.require(need);
            return null;
        } catch (BackendException refused) {
            return refused;
        } finally {
            if (named != null) {
                named.detach(before);
            }
        }
    }
}
