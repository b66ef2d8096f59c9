package io.brain.bench.load;

import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds.
 *
 * @param p50 median
 */
public record Latency(double p50, double p90, double p99, double p999, double max) {

    private static final double NANOS = 1e3;

    /** Latencies of a histogram of nanoseconds; zero if it is empty. */
    static Latency of(Histogram nanos) {
        return new Latency(
                nanos.getValueAtPercentile(50) / NANOS,
                nanos.getValueAtPercentile(90) / NANOS,
                nanos.getValueAtPercentile(99) / NANOS,
                nanos.getValueAtPercentile(99.9) / NANOS,
                nanos.getMaxValue() / NANOS);
    }
}
