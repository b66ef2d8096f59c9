package io.brain.backend.write;

import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.BackendRuntime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Simulated threads and time. Each executor stands for one thread; the next executor to run is
 * random, or the first in order. Time advances only on request.
 */
final class SimulatedRuntime {
    private static final int STEPS_MAX = 1_000_000;

    private final List<SimulatedExecutor> executors = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Random random;
    private final BackendRuntime runtime;
    private final SimulatedExecutor engine;
    private final SimulatedExecutor sequencer;
    private final SimulatedExecutor readers;
    private long now;
    private long timersMade;

    /** One thread of the simulation. */
    static final class SimulatedExecutor implements Executor {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private int tasksMax = Integer.MAX_VALUE;
        private int taken;

        @Override
        public void execute(Runnable task) {
            if (tasks.size() >= tasksMax) {
                throw new RejectedExecutionException("the executor is full");
            }
            tasks.add(task);
            taken++;
        }

        /** Refuses tasks beyond {@code max} waiting ones. */
        void limit(int max) {
            tasksMax = max;
        }

        /** Number of tasks so far. */
        int taken() {
            return taken;
        }

        void runAll() {
            while (!tasks.isEmpty()) {
                tasks.poll().run();
            }
        }
    }

    private record Timer(long at, long order, Executor executor, Runnable task)
            implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /** Executors run in a fixed order. */
    SimulatedRuntime() {
        this(null);
    }

    /** Executors run in random order. */
    SimulatedRuntime(Random random) {
        this.random = random;
        engine = executor();
        sequencer = executor();
        readers = executor();
        runtime =
                new BackendRuntime(
                        () -> now,
                        (delay, executor, task) -> {
                            Timer timer =
                                    new Timer(now + delay.toNanos(), timersMade++, executor, task);
                            timers.add(timer);
                            return () -> timers.remove(timer);
                        },
                        sequencer,
                        executor(),
                        executor(),
                        readers,
                        executor(),
                        executor(),
                        executor(),
                        executor(),
                        new Random(1),
                        BackendListener.NONE);
    }

    BackendRuntime runtime() {
        return runtime;
    }

    /** The engine's thread. */
    SimulatedExecutor engine() {
        return engine;
    }

    SimulatedExecutor sequencer() {
        return sequencer;
    }

    SimulatedExecutor readers() {
        return readers;
    }

    /** Runs one task; false if there is none. */
    boolean step() {
        List<SimulatedExecutor> busy =
                executors.stream().filter(executor -> !executor.tasks.isEmpty()).toList();
        if (busy.isEmpty()) {
            return false;
        }
        busy.get(random == null ? 0 : random.nextInt(busy.size())).tasks.poll().run();
        return true;
    }

    /** Runs all tasks that need no time. */
    void run() {
        for (int steps = 0; step(); steps++) {
            if (steps > STEPS_MAX) {
                throw new IllegalStateException("the simulation does not end");
            }
        }
    }

    /** Moves time to the next timer and starts its task; false if there is none. */
    boolean fireTimer() {
        Timer next = timers.poll();
        if (next == null) {
            return false;
        }
        now = Math.max(now, next.at);
        next.executor.execute(next.task);
        return true;
    }

    /** Runs all tasks and timers. */
    void runOut() {
        do {
            run();
        } while (fireTimer());
    }

    /** Advances time and runs tasks that become due. */
    void advance(Duration time) {
        long until = now + time.toNanos();
        run();
        while (!timers.isEmpty() && timers.peek().at <= until) {
            fireTimer();
            run();
        }
        now = until;
    }

    /** Lets time pass in which nothing runs. */
    void pass(Duration time) {
        now += time.toNanos();
    }

    /** Runs {@code task} after {@code delay}, on the engine's executor. */
    void later(Duration delay, Runnable task) {
        runtime.scheduler().schedule(delay, engine, task);
    }

    private SimulatedExecutor executor() {
        SimulatedExecutor executor = new SimulatedExecutor();
        executors.add(executor);
        return executor;
    }
}
