package io.brain.server.console;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.server.metrics.Distribution;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Samples of what only ever grows, taken every few seconds and kept for some minutes. */
final class RecentHistory implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int SAMPLES_MAX = 61;

    /** Samples back from the newest one to where the last minute began. */
    private static final int MINUTE = 12;

    private final Sources sources;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    RecentHistory(Sources sources) {
        this.sources = sources;
    }

    /**
     * The state of what is counted.
     *
     * @param stages nanoseconds per stage; the one of writes is their whole way
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

    /** Begins to take samples. */
    synchronized void start() {
        sample();
    }

    /** The samples, the oldest first; the last one is of now. */
    synchronized List<Sample> all() {
        List<Sample> all = new ArrayList<>(samples);
        all.add(now());
        return all;
    }

    /** A minute ago, or when samples began; and now. */
    List<Sample> lastMinute() {
        List<Sample> all = all();
        Sample from = all.get(Math.max(0, all.size() - 1 - MINUTE));
        return List.of(from, all.get(all.size() - 1));
    }

    /** Takes no more samples. */
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
        BackendRuntime runtime = sources.runtime();
        timer = runtime.scheduler().schedule(INTERVAL, runtime.background(), this::sample);
    }

    private Sample now() {
        Map<String, Distribution> stages = new LinkedHashMap<>(sources.stages().stages());
        stages.put("read", sources.readTimes().get());
        return new Sample(
                sources.runtime().clock().nanos(),
                sources.backend().status().revision(),
                stages.get("write").count(),
                stages.get("read").count(),
                sources.stats().get().watch().eventsSent(),
                stages);
    }
}
