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
        Need need = MethodAccess.of(call.getMethodDescriptor().getFullMethodName());
        boolean checked = need == Need.CALLER || need == Need.ADMIN;
        if (named == null && !checked) {
            return next.startCall(call, headers);
        }
        Context context = named == null ? Context.current() : named;
        Context before = context.attach();
        try {
            if (checked && isRefused(call, need)) {
                return new ServerCall.Listener<>() {};
            }
            return new Named<>(context, call, checked ? need : null, next.startCall(call, headers));
        } finally {
            context.detach(before);
        }
    }

    /** Closes the call if the caller of the current context may not make it. */
    private boolean isRefused(ServerCall<?, ?> call, Need need) {
        try {
            callers.require(need);
            return false;
        } catch (BackendException refusal) {
            call.close(StatusMapper.of(refusal), new Metadata());
            return true;
        }
    }

    /**
     * Handles requests, which need the caller, in its context; for other events it costs nothing.
     * Checks the caller again, who may have lost the role while the request was sent.
     */
    private final class Named<Q> extends SimpleForwardingServerCallListener<Q> {
        private final Context context;
        private final ServerCall<Q, ?> call;
        private final Need need;
        private boolean refused;

        /** {@code need}: null if the caller is not checked here. */
        Named(Context context, ServerCall<Q, ?> call, Need need, ServerCall.Listener<Q> listener) {
            super(listener);
            this.context = context;
            this.call = call;
            this.need = need;
        }

        @Override
        public void onMessage(Q request) {
            Context before = context.attach();
            try {
                refused = refused || (need != null && isRefused(call, need));
                if (!refused) {
                    super.onMessage(request);
                }
            } finally {
                context.detach(before);
            }
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                super.onHalfClose();
            }
        }
    }
}
