package io.brain.server.metrics;

import io.brain.admin.console.Distribution;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Durations of requests by type and success, under etcd's names. A series starts with its first
 * request, as in etcd. Thread-safe.
 */
final class RequestTimes {
    /** From 0.1 ms to 52 s, as etcd's for ranges. */
    private static final int RANGE_BUCKETS = 20;

    private static final long RANGE_FIRST_NANOS = 100_000;

    private final long slowNanos;
    private final LongAdder slow = new LongAdder();
    private final Map<RequestType, Outcomes> requests = new EnumMap<>(RequestType.class);
    private final Outcomes ranges =
            new Outcomes(() -> Histogram.ofSeconds(RANGE_FIRST_NANOS, RANGE_BUCKETS));

    /**
     * Creates empty histograms.
     *
     * @param slowNanos limit above which requests count as slow
     */
    RequestTimes(long slowNanos) {
        this.slowNanos = slowNanos;
        for (RequestType type : RequestType.values()) {
            requests.put(type, new Outcomes(Histogram::ofSeconds));
        }
    }

    /** Request types, with etcd's names. */
    enum RequestType {
        RANGE("Range"),
        READ_ONLY_TXN("ReadonlyTxn"),
        PUT("Put"),
        DELETE_RANGE("DeleteRange"),
        TXN("Txn"),
        COMPACTION("Compaction"),
        LEASE_GRANT("LeaseGrant"),
        LEASE_REVOKE("LeaseRevoke"),
        ALARM("Alarm");

        private final String text;

        RequestType(String text) {
            this.text = text;
        }
    }

    /** Durations of successful and of failed requests. */
    private static final class Outcomes {
        private final Histogram succeeded;
        private final Histogram failed;

        Outcomes(Supplier<Histogram> empty) {
            succeeded = empty.get();
            failed = empty.get();
        }

        void record(boolean success, long nanos) {
            (success ? succeeded : failed).record(nanos);
        }

        void writeTo(MetricsText text, String... labels) {
            write(text, failed, "false", labels);
            write(text, succeeded, "true", labels);
        }

        private static void write(
                MetricsText text, Histogram times, String success, String... labels) {
            if (times.now().count() == 0) {
                return;
            }
            String[] all = Arrays.copyOf(new String[] {"success", success}, 2 + labels.length);
            System.arraycopy(labels, 0, all, 2, labels.length);
            times.writeTo(text, all);
        }
    }

    /** Records a request. */
    void record(RequestType type, boolean success, long nanos) {
        requests.get(type).record(success, nanos);
        if (type == RequestType.RANGE) {
            ranges.record(success, nanos);
        }
        if (nanos > slowNanos) {
            slow.increment();
        }
    }

    void writeTo(MetricsText text) {
        text.counter(
                        "etcd_server_slow_apply_total",
                        "Requests that took longer than --warning-apply-duration.")
                .value(slow.sum());
        text.histogram(
                "etcd_server_request_duration_seconds",
                "Durations of requests, without the transport.");
        requests.forEach((type, times) -> times.writeTo(text, "type", type.text));
        text.histogram("etcd_server_range_duration_seconds", "Durations of ranges outside a txn.");
        ranges.writeTo(text);
    }

    /** Durations of successful ranges. */
    Distribution ranges() {
        return ranges.succeeded.now();
    }
}
