package io.brain.storage.tikv;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** How long things took, to 20 us, and up to 4 s. Thread-safe. */
final class Latencies {
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final AtomicIntegerArray counts = new AtomicIntegerArray(200_000);
    private final LongAdder total = new LongAdder();

    void add(long nanos) {
        counts.incrementAndGet((int) Math.min(counts.length() - 1, nanos / STEP_NANOS));
        total.increment();
    }

    long count() {
        return total.sum();
    }

    /** Milliseconds that so many of a hundred did not exceed. */
    private double percentile(double percent) {
        long rank = (long) Math.ceil(total.sum() * percent / 100);
        long seen = 0;
        int at = 0;
        while (at < counts.length() - 1 && seen + counts.get(at) < rank) {
            seen += counts.get(at);
            at++;
        }
        return (at + 1) * STEP_NANOS / 1e6;
    }

    /** Rate, median and 99th percentile, for a table. */
    String row(double seconds) {
        return String.format(
                Locale.ROOT,
                "%8.0f/s  p50 %7.2f ms  p99 %7.2f ms",
                count() / seconds,
                percentile(50),
                percentile(99));
    }
}
