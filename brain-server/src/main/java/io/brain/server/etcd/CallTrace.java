package io.brain.server.etcd;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The trace that a call is part of: that of the span which an OpenTelemetry agent opened for it,
 * or, where no agent is, the one that the client's {@code traceparent} names.
 */
final class CallTrace {
    private static final Context.Key<CallTrace> KEY = Context.key("call-trace");
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    /** W3C's, of any version but the forbidden one. */
    private static final Pattern FORM =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-.*");

    /** Null while none is known. */
    private volatile String id;

    private CallTrace(String id) {
        this.id = id;
    }

    /** Its id: 32 hexadecimal digits; null if the call is part of none. */
    String id() {
        return id;
    }

    /** The trace of the call that {@code context} is of; null if traces are not asked for. */
    static CallTrace of(Context context) {
        return KEY.get(context);
    }

    /** The id in a header of W3C's; null if it is missing or malformed. */
    static String parse(String traceparent) {
        Matcher matcher = FORM.matcher(traceparent == null ? "" : traceparent);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /**
     * Finds calls' traces. To be the first of the tracers, so that the others find what it found,
     * and one of the interceptors: those of an agent come before them.
     */
    static final class Finder extends ServerStreamTracer.Factory implements ServerInterceptor {
        @Override
        public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
            CallTrace trace = new CallTrace(parse(headers.get(TRACEPARENT)));
            return new ServerStreamTracer() {
                @Override
                public Context filterContext(Context context) {
                    return context.withValue(KEY, trace);
                }
            };
        }

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata md, ServerCallHandler<Q, A> next) {
            SpanContext span = Span.current().getSpanContext();
            CallTrace trace = KEY.get();
            if (span.isValid() && trace != null) {
                trace.id = span.getTraceId();
            }
            return next.startCall(call, md);
        }
    }
}
