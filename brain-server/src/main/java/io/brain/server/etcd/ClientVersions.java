package io.brain.server.etcd;

import io.brain.server.metrics.MetricsText;
import io.grpc.Metadata;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts calls by the version that the client's library says it has, as etcd does. Bounded: 32
 * versions of 32 characters each; what is beyond is "other". Thread-safe.
 */
final class ClientVersions {
    private static final Metadata.Key<String> VERSION =
            Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER);
    private static final String UNKNOWN = "unknown";
    private static final String OTHER = "other";
    private static final int VERSIONS_MAX = 32;
    private static final int LENGTH_MAX = 32;

    private final ConcurrentSkipListMap<String, Calls> calls = new ConcurrentSkipListMap<>();

    private static final class Calls {
        private final LongAdder unary = new LongAdder();
        private final LongAdder stream = new LongAdder();
    }

    /** A call has begun. */
    void called(boolean unary, Metadata headers) {
        String told = headers.get(VERSION);
        String version = told == null ? UNKNOWN : told;
        Calls counts = calls.get(version);
        if (counts == null) {
            boolean fits = version.length() <= LENGTH_MAX && calls.size() < VERSIONS_MAX;
            counts = calls.computeIfAbsent(fits ? version : OTHER, none -> new Calls());
        }
        (unary ? counts.unary : counts.stream).increment();
    }

    void writeTo(MetricsText text) {
        text.counter(
                "etcd_server_client_requests_total", "Calls by the version of the client's API.");
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
