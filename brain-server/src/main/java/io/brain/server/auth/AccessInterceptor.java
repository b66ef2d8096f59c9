package io.brain.server.auth;

import io.brain.backend.model.BackendException;
import io.brain.server.auth.MethodAccess.Need;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
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
        if (named == null) {
            return next.startCall(call, headers);
        }
        Context before = named.attach();
        try {
            return new Named<>(named, next.startCall(call, headers));
        } finally {
            named.detach(before);
        }
    }

    /**
     * Handles requests, which need the caller, in its context; for other events it costs nothing.
     */
    private static final class Named<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Context context;

        Named(Context context, ServerCall.Listener<Q> call) {
            super(call);
            this.context = context;
        }

        @Override
        public void onMessage(Q request) {
            Context before = context.attach();
            try {
                super.onMessage(request);
            } finally {
                context.detach(before);
            }
        }
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
