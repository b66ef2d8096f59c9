package io.brain.server.etcd;

import io.brain.backend.runtime.Scheduler;
import java.time.Duration;

/**
 * Limits how long an answer may wait for a client that does not read it, because until then it
 * holds its share of the budget for responses.
 */
final class StallGuard {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SLOWEST_BYTES_PER_SECOND = 1 << 20;

    private final Scheduler scheduler;

    StallGuard(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Runs {@code reset}, on a timer's thread, unless cancelled before a client had its time. */
    Scheduler.Timer arm(long bytes, Runnable reset) {
        Duration patience = PATIENCE.plusSeconds(bytes / SLOWEST_BYTES_PER_SECOND);
        return scheduler.schedule(patience, Runnable::run, reset);
    }
}
