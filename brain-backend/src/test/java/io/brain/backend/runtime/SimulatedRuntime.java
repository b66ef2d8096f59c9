package io.brain.backend.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Threads and time in a test's hand: nothing runs, and no time passes, unless the test says so.
 * Whose turn it is comes from the seed.
 */
public final class SimulatedRuntime {
    private static final int STEPS_MAX = 5_000_000;

    private final List<Lane> lanes = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Random random;
    private final Lane engine = lane(true);
    private final Machine first;
    private long nanos;
    private long timersMade;

    /** Everything that is random comes from {@code seed}. */
    public SimulatedRuntime(long seed) {
        random = new Random(seed);
        first = new Machine();
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
    public Lane engine() {
        return engine;
    }

    /** Where the node's background work is done; can be held up. */
    public Lane background() {
        return first.background;
    }

    /** Where watchers are served; can be held up. */
    public Lane watch() {
        return first.watch;
    }

    /** Where watchers' catch-up is read; can be held up. */
    public Lane logReaders() {
        return first.logReaders;
    }

    /** Where reads that may block are done; can be held up. */
    public Lane readers() {
        return first.readers;
    }

    /** Runs one task; false if none can run. */
    public boolean step() {
        List<Lane> busy = new ArrayList<>();
        for (Lane lane : lanes) {
            if (!lane.held && !lane.tasks.isEmpty()) {
                busy.add(lane);
            }
        }
        if (busy.isEmpty()) {
            return false;
        }
        busy.get(random.nextInt(busy.size())).runOne();
        return true;
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
            Timer timer = timers.poll();
            nanos = timer.due;
            timer.executor.execute(timer.task);
            run();
        }
        nanos = end;
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

    private Lane lane(boolean ordered) {
        Lane lane = new Lane(ordered);
        lanes.add(lane);
        return lane;
    }

    /** A machine: its threads can be stopped and go on, all at once. */
    public final class Machine {
        private final Lane sequencer = lane(true);
        private final Lane watch = lane(true);
        private final Lane prompt = lane(true);
        private final Lane readers = lane(false);
        private final Lane logReaders = lane(false);
        private final Lane background = lane(false);
        private final Lane takeover = lane(false);
        private final Lane elector = lane(true);
        private final Lane transport = lane(true);
        private final List<Lane> all =
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
        private final BackendRuntime runtime =
                new BackendRuntime(
                        () -> nanos,
                        SimulatedRuntime.this::schedule,
                        sequencer,
                        watch,
                        prompt,
                        readers,
                        logReaders,
                        background,
                        takeover,
                        elector,
                        new Random(random.nextLong()));

        public BackendRuntime runtime() {
            return runtime;
        }

        /** Nothing runs here any more, until {@link #go}; time passes all the same. */
        public void stop() {
            all.forEach(Lane::hold);
        }

        /** Things run here again. */
        public void go() {
            all.forEach(Lane::release);
        }

        /** Nothing runs here ever again. */
        public void kill() {
            all.forEach(Lane::end);
            lanes.removeAll(all);
        }

        /** Where reads that may block are done; can be held up. */
        public Lane readers() {
            return readers;
        }

        /** Handles what arrives over the network. */
        public Lane transport() {
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
    public final class Lane implements Executor {
        private final List<Runnable> tasks = new ArrayList<>();
        private final boolean ordered;
        private boolean held;
        private boolean ended;

        private Lane(boolean ordered) {
            this.ordered = ordered;
        }

        @Override
        public void execute(Runnable task) {
            if (!ended) {
                tasks.add(task);
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

        private void runOne() {
            tasks.remove(ordered ? 0 : random.nextInt(tasks.size())).run();
        }
    }
}
