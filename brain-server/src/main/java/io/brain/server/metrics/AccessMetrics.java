package io.brain.server.metrics;

import io.brain.server.logging.AccessLog;

/** Counts of the access log. */
public final class AccessMetrics implements MetricsSource {
    private final AccessLog log;

    /** Counts of {@code log}. */
    public AccessMetrics(AccessLog log) {
        this.log = log;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter("brain_access_log_lines_total", "Lines of the access log that were written.")
                .value(log.written());
        text.counter(
                        "brain_access_log_dropped_total",
                        "Lines of the access log that were left out, since too many waited.")
                .value(log.dropped());
    }
}
