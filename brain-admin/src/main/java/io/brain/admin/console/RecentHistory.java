package io.brain.admin.console;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Periodic samples of cumulative counters, kept for five minutes. */
final class RecentHistory implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int SAMPLES_MAX = 61;
    private static final int SAMPLES_PER_MINUTE = 12;

    private final MonitoredServer server;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    RecentHistory(MonitoredServer server) {
        this.server = server;
    }

    /** Counters at one time; see {@link MonitoredServer#durations}. */
    record Sample(
            long nanos,
            long revision,
            long writes,
            long reads,
            long events,
            Map<String, Distribution> durations) {}

    /** The time between two samples. */
    record Window(Sample from, Sample to) {
        double seconds() {
            return (to.nanos - from.nanos) / 1e9;
        }

        /** Rate of a counter per second; 0 without time. */
        double rate(ToLongFunction<Sample> counter) {
            long more = counter.applyAsLong(to) - counter.applyAsLong(from);
            return seconds() <= 0 ? 0 : Math.max(0, more) / seconds();
        }
    }

    /** Takes a sample, now and after each interval. */
    synchronized void start() {
        if (closed) {
            return;
        }
        samples.addLast(sample());
        if (samples.size() > SAMPLES_MAX) {
            samples.removeFirst();
        }
        BackendRuntime runtime = server.runtime();
        timer = runtime.scheduler().schedule(INTERVAL, runtime.background(), this::start);
    }

    /** The last minute, or the time since the first sample. */
    synchronized Window lastMinute() {
        List<Sample> all = new ArrayList<>(samples);
        return new Window(all.get(Math.max(0, all.size() - SAMPLES_PER_MINUTE)), sample());
    }

    /** The intervals between the periodic samples, oldest first. */
    synchronized List<Window> intervals() {
        List<Window> intervals = new ArrayList<>();
        Sample before = null;
        for (Sample sample : samples) {
            if (before != null) {
                intervals.add(new Window(before, sample));
            }
            before = sample;
        }
        return intervals;
    }

    /** Stops sampling. */
    @Override
    public synchronized void close() {
        closed = true;
        timer.cancel();
    }

    private Sample sample() {
        Map<String, Distribution> durations = server.durations().get();
        return new Sample(
                server.runtime().clock().nanos(),
                server.node().status().revision(),
                durations.get("write").count(),
                durations.get("read").count(),
                server.node().stats().watch().eventsSent(),
                durations);
    }
}
