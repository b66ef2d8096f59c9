package io.brain.server.metrics;

import io.brain.admin.console.Distribution;
import java.util.concurrent.atomic.LongAdder;

/** A histogram with fixed buckets. Thread-safe; recording does not allocate. */
public final class Histogram {
    private static final double NANOS = 1e9;
    private static final int[] CALL_MILLIS = {
        5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000
    };

    private final long[] limits;
    private final double unit;
    private final LongAdder[] counts;
    private final LongAdder sum = new LongAdder();

    private Histogram(long[] limits, double unit) {
        this.limits = limits;
        this.unit = unit;
        counts = new LongAdder[limits.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private static Histogram doubling(long first, int buckets, double unit) {
        long[] limits = new long[buckets];
        for (int i = 0; i < buckets; i++) {
            limits[i] = first << i;
        }
        return new Histogram(limits, unit);
    }

    /**
     * A histogram of durations, recorded in nanoseconds and exposed in seconds. Each bucket is
     * twice as wide as the previous one.
     *
     * @param firstNanos limit of the first bucket
     */
    public static Histogram ofSeconds(long firstNanos, int buckets) {
        return doubling(firstNanos, buckets, NANOS);
    }

    /** From 1 ms to 8 s, as etcd's for the disk and for requests. */
    static Histogram ofSeconds() {
        return ofSeconds(1_000_000, 14);
    }

    /** From 5 ms to 10 s: default buckets of Prometheus clients, which etcd uses for calls. */
    public static Histogram ofCalls() {
        long[] limits = new long[CALL_MILLIS.length];
        for (int i = 0; i < limits.length; i++) {
            limits[i] = CALL_MILLIS[i] * 1_000_000L;
        }
        return new Histogram(limits, NANOS);
    }

    /** A histogram of durations, recorded in nanoseconds and exposed in milliseconds. */
    static Histogram ofMillis(long firstMillis, int buckets) {
        return doubling(firstMillis * 1_000_000, buckets, 1e6);
    }

    /** A histogram of numbers. */
    static Histogram ofNumbers(long first, int buckets) {
        return doubling(first, buckets, 1);
    }

    /** Records a value. */
    public void record(long value) {
        int bucket = 0;
        while (bucket < limits.length && value > limits[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(value);
    }

    /** A snapshot of the recorded values. */
    Distribution now() {
        long[] seen = new long[counts.length];
        for (int i = 0; i < seen.length; i++) {
            seen[i] = counts[i].sum();
        }
        return new Distribution(limits, seen, sum.sum());
    }

    /** Writes buckets, sum and count of the current metric. */
    public void writeTo(MetricsText text, String... labels) {
        Distribution seen = now();
        long count = 0;
        for (int i = 0; i < limits.length; i++) {
            count += seen.counts()[i];
            text.bucket(count, MetricsText.number(limits[i] / unit), labels);
        }
        text.bucket(seen.count(), "+Inf", labels);
        text.total(seen.sum() / unit, seen.count(), labels);
    }
}
