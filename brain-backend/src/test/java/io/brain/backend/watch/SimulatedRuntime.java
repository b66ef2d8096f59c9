package io.brain.backend.watch;

import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Executor;

/** Threads and time in a test's hand: nothing runs, and no time passes, unless the test says so. */
final class SimulatedRuntime {
    private final ArrayDeque<Runnable> watch = new ArrayDeque<>();
    private final List<Runnable> logReaders = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(
                    Comparator.<Timer>comparingLong(timer -> timer.due)
                            .thenComparingLong(timer -> timer.serial));
    private final Random random;
    private long nanos;
    private long serial;

    SimulatedRuntime(long seed) {
        random = new Random(seed);
    }

    BackendRuntime runtime() {
        Executor unused =
                task -> {
                    throw new AssertionError("not an executor of watching");
                };
        return new BackendRuntime(
                () -> nanos,
                this::schedule,
                unused,
                watch::add,
                unused,
                unused,
                logReaders::add,
                unused,
                unused,
                unused,
                new Random(random.nextLong()),
                BackendListener.NONE);
    }

    /** Runs everything that can run without time passing. */
    void settle() {
        for (int steps = 0; step(); steps++) {
            if (steps > 1_000_000) {
                throw new AssertionError("the hub never comes to rest");
            }
        }
    }

    /** Runs one task of a lane chosen at random; false if there is none. */
    boolean step() {
        boolean reads = !logReaders.isEmpty() && (watch.isEmpty() || random.nextInt(4) == 0);
        return reads ? stepBackground() : stepWatch();
    }

    /** Runs the hub's next turn only. */
    boolean stepWatch() {
        Runnable task = watch.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs one of the waiting logReaders tasks; their order is open. */
    boolean stepBackground() {
        if (logReaders.isEmpty()) {
            return false;
        }
        logReaders.remove(random.nextInt(logReaders.size())).run();
        return true;
    }

    /** Runs the hub until it waits for readers, time or others. */
    void settleWatch() {
        for (int turns = 0; stepWatch(); turns++) {
            if (turns > 1_000_000) {
                throw new AssertionError("the hub never comes to rest");
            }
        }
    }

    /** Background tasks that wait to be run. */
    int waitingReads() {
        return logReaders.size();
    }

    /** Timers that are set. */
    int timers() {
        return timers.size();
    }

    /** Lets time pass; what is due runs at its time, and with it all that follows. */
    void advance(Duration time) {
        long end = nanos + time.toNanos();
        while (!timers.isEmpty() && timers.peek().due <= end) {
            Timer timer = timers.poll();
            nanos = timer.due;
            timer.executor.execute(timer.task);
            settle();
        }
        nanos = end;
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), serial++, executor, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    private record Timer(long due, long serial, Executor executor, Runnable task) {}
}
