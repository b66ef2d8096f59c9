package io.brain.server.grpc;

import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a check at an interval while a collection is not empty. Thread-safe. */
final class PeriodicCheck {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicCheck.class);

    private final Scheduler scheduler;
    private final Duration interval;
    private final Collection<?> subjects;
    private final Runnable check;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    PeriodicCheck(Scheduler scheduler, Duration interval, Collection<?> subjects, Runnable check) {
        this.scheduler = scheduler;
        this.interval = interval;
        this.subjects = subjects;
        this.check = check;
    }

    /** Starts the repetition; to be called after an addition to the collection. */
    void start() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void schedule() {
        var unused = scheduler.schedule(interval, Runnable::run, this::run);
    }

    private void run() {
        try {
            check.run();
        } catch (RuntimeException failure) { // for example, a closed event loop takes no tasks
            LOG.warn("periodic check of calls failed, will be repeated", failure);
        }
        if (!subjects.isEmpty()) {
            schedule();
            return;
        }
        scheduled.set(false);
        if (!subjects.isEmpty()) { // added meanwhile
            start();
        }
    }
}
