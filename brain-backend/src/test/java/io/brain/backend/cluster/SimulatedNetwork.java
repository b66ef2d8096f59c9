package io.brain.backend.cluster;

import io.brain.backend.runtime.SimulatedRuntime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Executor;

/**
 * The connections between servers: each message takes a random time. A cut connection keeps sent
 * messages, as TCP does, until it is repaired or closed; it can be cut in one direction only.
 */
final class SimulatedNetwork {
    private static final int USUAL_MICROS = 3000;
    private static final int SLOW_MICROS = 300_000;

    private final SimulatedRuntime simulation;
    private final boolean[][] cut;
    private final boolean[][] slow;
    private final List<Pipe> pipes = new ArrayList<>();
    private final Random seeds;

    SimulatedNetwork(SimulatedRuntime simulation, int servers, Random seeds) {
        this.simulation = simulation;
        this.seeds = seeds;
        cut = new boolean[servers][servers];
        slow = new boolean[servers][servers];
    }

    void cut(int from, int to) {
        cut[from][to] = true;
    }

    void slow(int from, int to) {
        slow[from][to] = true;
    }

    /** Repairs all connections. */
    void heal() {
        for (int from = 0; from < cut.length; from++) {
            for (int to = 0; to < cut.length; to++) {
                cut[from][to] = false;
                slow[from][to] = false;
            }
        }
        pipes.forEach(Pipe::flush);
    }

    /** A connection between two servers, which keeps the order of messages. */
    Pipe pipe(int from, int to, Executor receiver) {
        Pipe pipe = new Pipe(from, to, receiver, new Random(seeds.nextLong()));
        pipes.add(pipe);
        return pipe;
    }

    /** One direction of a connection. */
    final class Pipe {
        private final int from;
        private final int to;
        private final Executor receiver;
        private final Random random;
        private final Queue<Runnable> held = new ArrayDeque<>();
        private long lastArrival;
        private boolean closed;

        private Pipe(int from, int to, Executor receiver, Random random) {
            this.from = from;
            this.to = to;
            this.receiver = receiver;
            this.random = random;
        }

        /** Runs a task at the other end. */
        void send(Runnable message) {
            int micros = random.nextInt(slow[from][to] ? SLOW_MICROS : USUAL_MICROS);
            long now = simulation.nanos();
            lastArrival = Math.max(lastArrival, now + micros * 1000L);
            simulation
                    .runtime()
                    .scheduler()
                    .schedule(
                            Duration.ofNanos(lastArrival - now),
                            Runnable::run,
                            () -> arrived(message));
        }

        /** Drops messages in flight. */
        void close() {
            closed = true;
            held.clear();
            pipes.remove(this);
        }

        private void arrived(Runnable message) {
            if (cut[from][to] || !held.isEmpty()) {
                held.add(message);
            } else {
                deliver(message);
            }
        }

        private void flush() {
            while (!held.isEmpty()) {
                deliver(held.remove());
            }
        }

        private void deliver(Runnable message) {
            if (!closed) {
                receiver.execute(
                        () -> {
                            if (!closed) {
                                message.run();
                            }
                        });
            }
        }
    }
}
