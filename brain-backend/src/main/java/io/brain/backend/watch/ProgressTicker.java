package io.brain.backend.watch;

import io.brain.backend.runtime.Clock;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A stream's rhythm of progress notifications: beats at a fixed interval from the stream's start,
 * armed only while somebody listens. Belongs to the hub's thread.
 */
final class ProgressTicker {
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;
    private final long interval;
    private final long start;
    private Scheduler.Timer timer;

    /**
     * A ticker that starts now.
     *
     * @param executor runs the ticks
     */
    ProgressTicker(Clock clock, Scheduler scheduler, Executor executor, Duration interval) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.executor = executor;
        this.interval = interval.toNanos();
        this.start = clock.nanos();
    }

    /** Sees to it that {@code tick} runs at the next beat. */
    void arm(Runnable tick) {
        if (timer == null) {
            long untilNext = interval - (clock.nanos() - start) % interval;
            timer =
                    scheduler.schedule(
                            Duration.ofNanos(untilNext),
                            executor,
                            () -> {
                                timer = null;
                                tick.run();
                            });
        }
    }

    /** Ends; a tick that has begun may still run. */
    void close() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
