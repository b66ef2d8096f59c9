package io.brain.server.metrics;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long requests took, by their type and by whether they succeeded, under etcd's names. A series
 * begins with its first request, as in etcd. Thread-safe.
 */
final class RequestTimes {
    /** From 0.1 ms to 52 s, as etcd's of ranges. */
    private static final int RANGE_BUCKETS = 20;

    private static final long RANGE_FIRST_NANOS = 100_000;

    private final long slowNanos;
    private final LongAdder slow = new LongAdder();
    private final ConcurrentSkipListMap<Kind, Histogram> requests = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Kind, Histogram> ranges = new ConcurrentSkipListMap<>();

    /**
     * Nothing measured yet.
     *
     * @param slowNanos requests that take longer are counted
     */
    RequestTimes(long slowNanos) {
        this.slowNanos = slowNanos;
    }

    /** etcd's names of what is asked for. */
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

    /** What a series is of. */
    private record Kind(RequestType type, boolean success) implements Comparable<Kind> {
        @Override
        public int compareTo(Kind other) {
            int order = type.compareTo(other.type);
            return order != 0 ? order : Boolean.compare(success, other.success);
        }
    }

    /** A request ended. */
    void record(RequestType type, boolean success, long nanos) {
        Kind kind = new Kind(type, success);
        requests.computeIfAbsent(kind, none -> Histogram.ofSeconds()).record(nanos);
        if (type == RequestType.RANGE) {
            ranges.computeIfAbsent(
                            kind, none -> Histogram.ofSeconds(RANGE_FIRST_NANOS, RANGE_BUCKETS))
                    .record(nanos);
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
                "From submission to the answer, without its transport.");
        requests.forEach(
                (kind, times) ->
                        times.writeTo(
                                text,
                                "success",
                                Boolean.toString(kind.success),
                                "type",
                                kind.type.text));
        text.histogram("etcd_server_range_duration_seconds", "Ranges that are not part of a txn.");
        ranges.forEach(
                (kind, times) -> times.writeTo(text, "success", Boolean.toString(kind.success)));
    }
}
