package io.brain.backend.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs tasks later. Thread-safe. */
@FunctionalInterface
public interface Scheduler {
    /**
     * Runs a task on an executor after a delay, never in the call. Retried while the executor is
     * full: no task is lost.
     */
    Timer schedule(Duration delay, Executor executor, Runnable task);

    /** A scheduled task. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the task if it has not begun. */
        void cancel();
    }
}
