package io.brain.conformance.overload;

import java.util.List;

/**
 * How long calls took, in milliseconds.
 *
 * @param p99 the time that one in a hundred exceeds
 * @param max the longest
 */
record Latency(int calls, double median, double p99, double max) {

    static Latency of(List<Double> millis) {
        List<Double> sorted = millis.stream().sorted().toList();
        int last = sorted.size() - 1;
        return last < 0
                ? new Latency(0, Double.NaN, Double.NaN, Double.NaN)
                : new Latency(
                        sorted.size(),
                        sorted.get(last / 2),
                        sorted.get((int) Math.ceil(last * 0.99)),
                        sorted.get(last));
    }
}
