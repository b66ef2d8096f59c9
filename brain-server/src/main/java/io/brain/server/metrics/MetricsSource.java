package io.brain.server.metrics;

/** A source of metrics. Thread-safe. */
@FunctionalInterface
public interface MetricsSource {
    /** Writes the current values. */
    void writeTo(MetricsText text);
}
