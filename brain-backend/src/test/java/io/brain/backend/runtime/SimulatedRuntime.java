package io.brain.backend.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Threads and time in a test's hand: nothing runs, and no time passes, unless the test says so.
 * Whose turn it is comes from the seed, or is fixed.
 */
public final class SimulatedRuntime {
    private static final int STEPS_MAX = 5_000_000;

    private final List<SimulatedExecutor> executors = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Random random;
    private final boolean inOrder;
    private final SimulatedExecutor engine = executor(true);
    private final Machine first;
    private long nanos;
    private long timersMade;

    /** Everything that is random comes from {@code seed}. */
    public SimulatedRuntime(long seed) {
        this(seed, false);
    }

    private SimulatedRuntime(long seed, boolean inOrder) {
        random = new Random(seed);
        this.inOrder = inOrder;
        first = new Machine();
    }

    /** The engine's tasks run first, then the sequencer's, then others; tasks of one in order. */
    public static SimulatedRuntime inOrder() {
        return new SimulatedRuntime(1, true);
    }

    /** Makes a task for any other executor an error. */
    public SimulatedRuntime only(SimulatedExecutor... used) {
        List<SimulatedExecutor> allowed = List.of(used);
        executors.forEach(executor -> executor.unused = !allowed.contains(executor));
        return this;
    }

    /** The threads of the first machine, for tests with one. */
    public BackendRuntime runtime() {
        return first.runtime();
    }

    /** The clock's nanoseconds. */
    public long nanos() {
        return nanos;
    }

    /** One more machine, in the same time. */
    public Machine machine() {
        return new Machine();
    }

    /** Where the storage does its work; can be held up. */
    public SimulatedExecutor engine() {
        return engine;
    }

    /** Where writes are evaluated; can be held up. */
    public SimulatedExecutor sequencer() {
        return first.sequencer;
    }

    /** Where the node's background work is done; can be held up. */
    public SimulatedExecutor background() {
        return first.background;
    }

    /** Where watchers are served; can be held up. */
    public SimulatedExecutor watch() {
        return first.watch;
    }

    /** Where watchers' catch-up is read; can be held up. */
    public SimulatedExecutor logReaders() {
        return first.logReaders;
    }

    /** Where reads that may block are done; can be held up. */
    public SimulatedExecutor readers() {
        return first.readers;
    }

    /** Runs one task; false if none can run. */
    public boolean step() {
        List<SimulatedExecutor> busy = new ArrayList<>();
        for (SimulatedExecutor executor : executors) {
            if (!executor.held && !executor.tasks.isEmpty()) {
                busy.add(executor);
            }
        }
        if (busy.isEmpty()) {
            return false;
        }
        return busy.get(choose(busy.size())).runOne();
    }

    private int choose(int count) {
        return inOrder ? 0 : random.nextInt(count);
    }

    /** Runs everything that can run without time passing. */
    public void run() {
        for (int steps = 0; step(); steps++) {
            if (steps > STEPS_MAX) {
                throw new AssertionError("the simulation never comes to rest");
            }
        }
    }

    /** Lets time pass; what is due runs at its time, and with it all that follows. */
    public void advance(Duration time) {
        long end = nanos + time.toNanos();
        run();
        while (!timers.isEmpty() && timers.peek().due <= end) {
            fireTimer();
            run();
        }
        nanos = end;
    }

    /** Lets time pass in which nothing runs. */
    public void pass(Duration time) {
        nanos += time.toNanos();
    }

    /** Moves time to the next timer and starts its task; false if there is none. */
    public boolean fireTimer() {
        Timer next = timers.poll();
        if (next == null) {
            return false;
        }
        nanos = Math.max(nanos, next.due);
        next.executor.execute(next.task);
        return true;
    }

    /** Runs all tasks and timers. */
    public void runOut() {
        do {
            run();
        } while (fireTimer());
    }

    /** Timers that are set. */
    public int timers() {
        return timers.size();
    }

    /** Runs {@code task} after {@code delay}, where the storage does its work. */
    public void later(Duration delay, Runnable task) {
        var unused = schedule(delay, engine, task);
    }

    /** What a future ends with; lets time pass while it must, at most a minute. */
    public <T> T await(CompletableFuture<T> future) {
        run();
        for (int i = 0; i < 6000 && !future.isDone(); i++) {
            advance(Duration.ofMillis(10));
        }
        if (!future.isDone()) {
            throw new AssertionError("no answer within a minute");
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), timersMade++, executor, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    private SimulatedExecutor executor(boolean ordered) {
        SimulatedExecutor executor = new SimulatedExecutor(ordered);
        executors.add(executor);
        return executor;
    }

    /** A machine: its threads can be stopped and go on, all at once. */
    public final class Machine {
        private final SimulatedExecutor sequencer = executor(true);
        private final SimulatedExecutor watch = executor(true);
        private final SimulatedExecutor prompt = executor(true);
        private final SimulatedExecutor readers = executor(false);
        private final SimulatedExecutor logReaders = executor(false);
        private final SimulatedExecutor background = executor(false);
        private final SimulatedExecutor takeover = executor(false);
        private final SimulatedExecutor elector = executor(true);
        private final SimulatedExecutor transport = executor(true);
        private final List<SimulatedExecutor> all =
                List.of(
                        sequencer,
                        watch,
                        prompt,
                        readers,
                        logReaders,
                        background,
                        takeover,
                        elector,
                        transport);

        /** Time that this machine's clock missed. */
        private long missed;

        private long suspendedAt;

        private final BackendRuntime runtime =
                new BackendRuntime(
                        () -> nanos - missed,
                        SimulatedRuntime.this::schedule,
                        sequencer,
                        watch,
                        prompt,
                        readers,
                        logReaders,
                        background,
                        takeover,
                        elector,
                        new Random(random.nextLong()),
                        BackendListener.NONE);

        public BackendRuntime runtime() {
            return runtime;
        }

        /** Nothing runs here any more, until {@link #go}; time passes all the same. */
        public void stop() {
            all.forEach(SimulatedExecutor::hold);
        }

        /** Things run here again. */
        public void go() {
            all.forEach(SimulatedExecutor::release);
        }

        /** As {@link #stop}, and this machine's clock stands still as well. */
        public void suspend() {
            suspendedAt = nanos;
            stop();
        }

        /** Ends {@link #suspend}. */
        public void wake() {
            missed += nanos - suspendedAt;
            go();
        }

        /** Nothing runs here ever again. */
        public void kill() {
            all.forEach(SimulatedExecutor::end);
            executors.removeAll(all);
        }

        /** Where reads that may block are done; can be held up. */
        public SimulatedExecutor readers() {
            return readers;
        }

        /** Handles what arrives over the network. */
        public SimulatedExecutor transport() {
            return transport;
        }
    }

    private record Timer(long due, long serial, Executor executor, Runnable task)
            implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return due != other.due
                    ? Long.compare(due, other.due)
                    : Long.compare(serial, other.serial);
        }
    }

    /** One thread, or a pool whose tasks may run in any order. */
    public final class SimulatedExecutor implements Executor {
        private final List<Runnable> tasks = new ArrayList<>();
        private final boolean ordered;
        private boolean held;
        private boolean ended;
        private boolean unused;
        private int waitingMax = Integer.MAX_VALUE;
        private int taken;

        private SimulatedExecutor(boolean ordered) {
            this.ordered = ordered;
        }

        @Override
        public void execute(Runnable task) {
            if (unused) {
                throw new AssertionError("a task for an executor that is not used");
            }
            if (tasks.size() >= waitingMax) {
                throw new RejectedExecutionException("the executor is full");
            }
            if (!ended) {
                tasks.add(task);
                taken++;
            }
        }

        private void end() {
            ended = true;
            tasks.clear();
        }

        /** From now on nothing runs here. */
        public void hold() {
            held = true;
        }

        /** Things run here again. */
        public void release() {
            held = false;
        }

        /** Tasks that wait. */
        public int waiting() {
            return tasks.size();
        }

        /** Refuses tasks beyond {@code max} waiting ones. */
        public void limit(int max) {
            waitingMax = max;
        }

        /** Number of tasks so far. */
        public int taken() {
            return taken;
        }

        /** Runs one task, even if this is held up; false if none waits. */
        public boolean runOne() {
            if (tasks.isEmpty()) {
                return false;
            }
            tasks.remove(ordered ? 0 : choose(tasks.size())).run();
            return true;
        }

        /** Runs everything here and nothing elsewhere. */
        public void runAll() {
            for (int steps = 0; runOne(); steps++) {
                if (steps > STEPS_MAX) {
                    throw new AssertionError("the executor never comes to rest");
                }
            }
        }
    }
}
