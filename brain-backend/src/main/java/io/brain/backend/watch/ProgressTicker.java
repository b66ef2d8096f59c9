package io.brain.backend.watch;

import io.brain.backend.runtime.Clock;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A stream's timer of progress notifications: at multiples of an interval since the stream began,
 * and only while armed. Used by one thread.
 */
final class ProgressTicker {
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;
    private final long interval;
    private final long start;
    private Scheduler.Timer timer;

    /**
     * A ticker that begins now.
     *
     * @param executor runs the tasks
     */
    ProgressTicker(Clock clock, Scheduler scheduler, Executor executor, Duration interval) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.executor = executor;
        this.interval = interval.toNanos();
        this.start = clock.nanos();
    }

    /** Runs a task at the end of the current interval, unless armed already. */
    void arm(Runnable task) {
        if (timer == null) {
            long untilNext = interval - (clock.nanos() - start) % interval;
            timer =
                    scheduler.schedule(
                            Duration.ofNanos(untilNext),
                            executor,
                            () -> {
                                timer = null;
                                task.run();
                            });
        }
    }

    /** Cancels the task, unless it has begun. */
    void close() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
