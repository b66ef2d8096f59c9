package io.brain.server.grpc;

import io.brain.server.logging.SlowLog;
import io.brain.server.metrics.Histogram;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerStreamTracer;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.util.Collection;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of calls, as go-grpc-prometheus has them in etcd. */
public final class CallMetrics extends ServerStreamTracer.Factory implements MetricsSource {
    private static final String UNARY = "unary";

    /** gRPC's reports of a connection that the client closed, or that is dead. */
    private static final Set<String> CLIENT_IS_GONE =
            Set.of(
                    "connection terminated for unknown reason",
                    "Keepalive failed. The connection is likely gone");

    private static final ServerStreamTracer UNCOUNTED = new ServerStreamTracer() {};

    /** By full method name. */
    private final TreeMap<String, Method> methods = new TreeMap<>();

    private final ClientVersions clients = new ClientVersions();
    private final SlowLog slow;
    private final boolean traced;
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();

    /**
     * Creates the metrics of {@code services}.
     *
     * @param waiting full names of unary methods that wait for other clients: their calls are
     *     neither pending nor slow
     * @param slow log of slow unary calls
     * @param traced true if the log contains trace ids
     */
    public CallMetrics(
            Collection<ServiceDescriptor> services,
            Set<String> waiting,
            SlowLog slow,
            boolean traced) {
        this.slow = slow;
        this.traced = traced;
        for (ServiceDescriptor service : services) {
            for (MethodDescriptor<?, ?> method : service.getMethods()) {
                String name = method.getFullMethodName();
                methods.put(name, new Method(method, waiting.contains(name)));
            }
        }
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        Method method = methods.get(fullMethodName);
        if (method == null) {
            return UNCOUNTED;
        }
        method.started.increment();
        clients.count(method.type.equals(UNARY), headers);
        return new Tracer(method);
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter("grpc_server_started_total", "RPCs started on the server.");
        methods.values().forEach(m -> text.value(m.started.sum(), m.labels()));
        text.counter("grpc_server_handled_total", "RPCs completed on the server, by code.");
        for (Method method : methods.values()) {
            for (Status.Code code : Status.Code.values()) {
                text.value(method.handled[code.value()].sum(), method.labels(goName(code)));
            }
        }
        text.counter("grpc_server_msg_received_total", "Messages received on the server.");
        methods.values().forEach(m -> text.value(m.received.sum(), m.labels()));
        text.counter("grpc_server_msg_sent_total", "Messages sent by the server.");
        methods.values().forEach(m -> text.value(m.sent.sum(), m.labels()));
        clients.writeTo(text);
        text.histogram("grpc_server_handling_seconds", "From a call's beginning to its end.");
        methods.values().forEach(m -> m.times.writeTo(text, m.labels()));
        text.counter(
                        "etcd_network_client_grpc_received_bytes_total",
                        "Bytes received from clients in messages.")
                .value(receivedBytes.sum());
        text.counter(
                        "etcd_network_client_grpc_sent_bytes_total",
                        "Bytes sent to clients in messages.")
                .value(sentBytes.sum());
    }

    /** Number of running unary calls that do not wait for other clients. */
    public long pendingUnary() {
        long pending = 0;
        for (Method method : methods.values()) {
            if (method.isShort) {
                pending += method.started.sum();
                for (LongAdder handled : method.handled) {
                    pending -= handled.sum();
                }
            }
        }
        return pending;
    }

    /** The code that a call ended with; as in etcd, CANCELLED if the client is gone. */
    public static Status.Code codeOf(Status status) {
        Status.Code code = status.getCode();
        return code == Status.Code.UNAVAILABLE && CLIENT_IS_GONE.contains(text(status))
                ? Status.Code.CANCELLED
                : code;
    }

    private static String text(Status status) {
        return status.getDescription() == null ? "" : status.getDescription();
    }

    /** grpc-go's name of a code. */
    public static String goName(Status.Code code) {
        if (code == Status.Code.OK) {
            return "OK";
        }
        if (code == Status.Code.CANCELLED) {
            return "Canceled";
        }
        StringBuilder name = new StringBuilder();
        for (String word : code.name().split("_", -1)) {
            name.append(word.charAt(0))
                    .append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
        }
        return name.toString();
    }

    /** Counts a call. */
    private final class Tracer extends ServerStreamTracer {
        private final Method method;
        private final long start = System.nanoTime();

        /** True between request and response of a unary call. */
        private volatile boolean unanswered;

        /** Null if traces are not logged. */
        private CallTrace trace;

        Tracer(Method method) {
            this.method = method;
        }

        @Override
        public Context filterContext(Context context) {
            if (traced) {
                trace = CallTrace.of(context);
            }
            return context;
        }

        @Override
        public void inboundMessage(int number) {
            method.received.increment();
            unanswered = method.type.equals(UNARY);
        }

        @Override
        public void outboundMessage(int number) {
            method.sent.increment();
            unanswered = false;
        }

        @Override
        public void inboundUncompressedSize(long bytes) {
            receivedBytes.add(bytes);
        }

        @Override
        public void outboundUncompressedSize(long bytes) {
            sentBytes.add(bytes);
        }

        @Override
        public void streamClosed(Status status) {
            Status.Code code = codeOf(status);
            method.handled[code.value()].increment();
            if (unanswered) { // etcd counts an error as a message
                method.sent.increment();
            }
            long nanos = System.nanoTime() - start;
            method.times.record(nanos);
            if (method.isShort && slow.isSlow(nanos)) {
                String id = trace == null ? null : trace.id();
                slow.write(
                        "request took too long: took="
                                + SlowLog.millis(nanos)
                                + " method="
                                + method.service
                                + '/'
                                + method.name
                                + " code="
                                + goName(code)
                                + (id == null ? "" : " trace=" + id));
            }
        }
    }

    /** Counters of a method. */
    private static final class Method {
        private final String service;
        private final String name;
        private final String type;
        private final boolean isShort;
        private final LongAdder started = new LongAdder();
        private final LongAdder received = new LongAdder();
        private final LongAdder sent = new LongAdder();
        private final Histogram times = Histogram.ofCalls();
        private final LongAdder[] handled = new LongAdder[Status.Code.values().length];

        Method(MethodDescriptor<?, ?> method, boolean waits) {
            service = method.getServiceName();
            name = method.getBareMethodName();
            type = typeName(method.getType());
            isShort = type.equals(UNARY) && !waits;
            for (int i = 0; i < handled.length; i++) {
                handled[i] = new LongAdder();
            }
        }

        private static String typeName(MethodType type) {
            if (type == MethodType.UNARY) {
                return UNARY;
            }
            return type == MethodType.SERVER_STREAMING ? "server_stream" : "bidi_stream";
        }

        String[] labels() {
            return new String[] {"grpc_method", name, "grpc_service", service, "grpc_type", type};
        }

        String[] labels(String code) {
            return new String[] {
                "grpc_code", code, "grpc_method", name, "grpc_service", service, "grpc_type", type
            };
        }
    }

    /**
     * Counts calls by the client library's version, as etcd does. The first 32 versions of up to 32
     * characters are counted separately, others as "other". Thread-safe.
     */
    private static final class ClientVersions {
        private static final String OTHER = "other";
        private static final int VERSIONS_MAX = 32;
        private static final int LENGTH_MAX = 32;

        private final ConcurrentSkipListMap<String, Calls> calls = new ConcurrentSkipListMap<>();

        private static final class Calls {
            private final LongAdder unary = new LongAdder();
            private final LongAdder stream = new LongAdder();
        }

        /** Counts a call, if its version is valid. */
        void count(boolean unary, Metadata headers) {
            String version = ClientVersion.of(headers);
            if (version == null) {
                return;
            }
            Calls counts = calls.get(version);
            if (counts == null) {
                boolean fits = version.length() <= LENGTH_MAX && calls.size() < VERSIONS_MAX;
                counts = calls.computeIfAbsent(fits ? version : OTHER, none -> new Calls());
            }
            (unary ? counts.unary : counts.stream).increment();
        }

        void writeTo(MetricsText text) {
            text.counter(
                    "etcd_server_client_requests_total",
                    "Calls by the version of the client's API.");
            calls.forEach(
                    (version, counts) -> {
                        value(text, version, "stream", counts.stream);
                        value(text, version, "unary", counts.unary);
                    });
        }

        private static void value(MetricsText text, String version, String type, LongAdder count) {
            if (count.sum() > 0) {
                text.value(count.sum(), "client_api_version", version, "type", type);
            }
        }
    }
}
