package io.brain.server.metrics;

import io.brain.server.logging.AccessLog;

/** Metrics of the access log. */
public final class AccessMetrics implements MetricsSource {
    private final AccessLog log;

    /** Creates metrics of {@code log}. */
    public AccessMetrics(AccessLog log) {
        this.log = log;
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter("brain_access_log_lines_total", "Access log lines written.")
                .value(log.written());
        text.counter(
                        "brain_access_log_dropped_total",
                        "Access log lines dropped because the queue was full.")
                .value(log.dropped());
    }
}
