package io.brain.admin.console;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Periodic samples of cumulative counters, kept for five minutes. */
final class RecentHistory implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int SAMPLES_MAX = 61;

    /** Number of samples in a minute. */
    private static final int MINUTE = 12;

    private final MonitoredServer server;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    RecentHistory(MonitoredServer server) {
        this.server = server;
    }

    /**
     * Values of the counters at one time.
     *
     * @param stages nanoseconds per stage; stage "write" is the total time of a write
     */
    record Sample(
            long nanos,
            long revision,
            long writes,
            long reads,
            long events,
            Map<String, Distribution> stages) {
        double secondsSince(Sample before) {
            return (nanos - before.nanos) / 1e9;
        }
    }

    /** Starts sampling. */
    synchronized void start() {
        sample();
    }

    /** The samples, oldest first; the last one is taken now. */
    synchronized List<Sample> all() {
        List<Sample> all = new ArrayList<>(samples);
        all.add(now());
        return all;
    }

    /** The sample of a minute ago, or the oldest; and one taken now. */
    List<Sample> lastMinute() {
        List<Sample> all = all();
        Sample from = all.get(Math.max(0, all.size() - 1 - MINUTE));
        return List.of(from, all.get(all.size() - 1));
    }

    /** Stops sampling. */
    @Override
    public synchronized void close() {
        closed = true;
        timer.cancel();
    }

    private synchronized void sample() {
        if (closed) {
            return;
        }
        samples.addLast(now());
        if (samples.size() > SAMPLES_MAX) {
            samples.removeFirst();
        }
        BackendRuntime runtime = server.runtime();
        timer = runtime.scheduler().schedule(INTERVAL, runtime.background(), this::sample);
    }

    private Sample now() {
        Map<String, Distribution> stages = server.durations().get();
        return new Sample(
                server.runtime().clock().nanos(),
                server.node().status().revision(),
                stages.get("write").count(),
                stages.get("read").count(),
                server.node().stats().watch().eventsSent(),
                stages);
    }
}
