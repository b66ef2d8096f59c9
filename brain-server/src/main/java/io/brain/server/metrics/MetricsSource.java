package io.brain.server.metrics;

/** Something that has metrics to tell. Thread-safe. */
@FunctionalInterface
public interface MetricsSource {
    /** Writes the present values. */
    void writeTo(MetricsText text);
}
