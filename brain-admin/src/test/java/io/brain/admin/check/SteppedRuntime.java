package io.brain.admin.check;

import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Runs the tasks of a node one by one, in order; time advances only while no task is due. */
final class SteppedRuntime implements Executor {
    private static final int STEPS_MAX = 1_000_000;

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::due));
    private final Random random;
    private long nanos;

    SteppedRuntime(Random random) {
        this.random = random;
    }

    private record Timer(long due, Executor executor, Runnable task) {}

    BackendRuntime runtime() {
        return new BackendRuntime(
                () -> nanos,
                this::schedule,
                this,
                this,
                this,
                this,
                this,
                this,
                this,
                this,
                random,
                BackendListener.NONE);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), executor, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    /** Runs the next task, or advances time to the next timer. */
    void step() {
        if (tasks.isEmpty()) {
            Timer next = timers.remove();
            nanos = Math.max(nanos, next.due);
            next.executor.execute(next.task);
        }
        tasks.remove().run();
    }

    /** Runs all tasks that are due. */
    void drain() {
        while (!tasks.isEmpty()) {
            step();
        }
    }

    <T> T await(CompletableFuture<T> future) {
        for (int steps = 0; !future.isDone(); steps++) {
            if (steps > STEPS_MAX) {
                throw new AssertionError("no answer");
            }
            step();
        }
        return future.join();
    }
}
