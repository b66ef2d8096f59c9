package io.brain.backend.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs tasks later. Thread-safe. */
@FunctionalInterface
public interface Scheduler {
    /**
     * Runs {@code task} on {@code executor} once {@code delay} has passed; never on the caller's
     * thread before this returns. While the executor has no room it is tried again: no task is
     * lost.
     */
    Timer schedule(Duration delay, Executor executor, Runnable task);

    /** A task that waits for its time. */
    @FunctionalInterface
    interface Timer {
        /** Keeps the task from running, if it has not begun; harmless otherwise. */
        void cancel();
    }
}
