package io.brain.server.grpc;

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
 * The trace of a call: that of the current OpenTelemetry span, which an agent may have created, or
 * else that of the client's {@code traceparent} header.
 */
public final class CallTrace {
    private static final Context.Key<CallTrace> KEY = Context.key("call-trace");
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    /** Format of W3C trace contexts; version ff is invalid. */
    private static final Pattern FORM =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-.*");

    private volatile String id;

    private CallTrace(String id) {
        this.id = id;
    }

    /** The trace id, 32 hexadecimal digits; null if there is none. */
    public String id() {
        return id;
    }

    /** The trace of the context's call; null if tracing is off. */
    public static CallTrace of(Context context) {
        return KEY.get(context);
    }

    /** The trace id in a {@code traceparent} header; null if it is missing or malformed. */
    static String parse(String traceparent) {
        Matcher matcher = FORM.matcher(traceparent == null ? "" : traceparent);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /**
     * Attaches the trace to the context of calls. It must be the first of the tracer factories, so
     * that later ones see the trace, and an interceptor, as those of an agent run before it.
     */
    public static final class Interceptor extends ServerStreamTracer.Factory
            implements ServerInterceptor {
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
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            SpanContext span = Span.current().getSpanContext();
            CallTrace trace = KEY.get();
            if (span.isValid() && trace != null) {
                trace.id = span.getTraceId();
            }
            return next.startCall(call, headers);
        }
    }
}
