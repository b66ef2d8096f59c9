package io.brain.server.etcd;

import io.brain.backend.read.Reservation;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;

/**
 * Limits how long an answer may wait for a client that does not read it, because until then it
 * holds its share of the budget for responses: 30 s, and 5 s if others wait for that share; either
 * and the time that a slow line takes for the answer's bytes.
 */
final class StallGuard {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PATIENCE_WHEN_WANTED = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int SLOW_BYTES_PER_SECOND = 16 << 20;

    private final Scheduler scheduler;

    StallGuard(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Runs {@code reset}, on a timer's thread, unless cancelled before a client had its time. */
    Scheduler.Timer arm(long bytes, Reservation held, Runnable reset) {
        Duration line = Duration.ofSeconds(bytes / SLOW_BYTES_PER_SECOND);
        Watched watched = new Watched(held, PATIENCE.plus(line), reset);
        watched.lookAfter(PATIENCE_WHEN_WANTED.plus(line));
        return watched;
    }

    /** One answer that waits. */
    private final class Watched implements Scheduler.Timer {
        private final Reservation held;
        private final Runnable reset;
        private volatile Duration left;
        private volatile Scheduler.Timer next = () -> {};
        private volatile boolean cancelled;

        Watched(Reservation held, Duration left, Runnable reset) {
            this.held = held;
            this.left = left;
            this.reset = reset;
        }

        void lookAfter(Duration pause) {
            left = left.minus(pause);
            next = scheduler.schedule(pause, Runnable::run, this::look);
        }

        private void look() {
            if (cancelled) {
                return;
            }
            if (left.isNegative() || left.isZero() || held.isWanted()) {
                reset.run();
            } else {
                lookAfter(LOOK);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            next.cancel();
        }
    }
}
