package io.brain.bench.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Records completed operations. Confined to the client's event loop. */
public final class Recorder {

    private static final long NANOS_MAX = 300_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram nanos = new Histogram(NANOS_MAX, DIGITS);
    private final List<Second> seconds = new ArrayList<>();
    private final Histogram second = new Histogram(NANOS_MAX, DIGITS);
    private final List<Latency> phases = new ArrayList<>();
    private final Histogram phase = new Histogram(NANOS_MAX, DIGITS);
    private final boolean bySecond;
    private boolean counts;
    private long startedNanos;
    private long units;
    private long failures;
    private String firstFailure;

    /**
     * One second of a measured stretch.
     *
     * @param at number of the second, from 0
     * @param p99Micros of operations completed in it
     */
    public record Second(int at, long operations, double p99Micros) {}

    /**
     * Creates a recorder; it records after {@link #begin}.
     *
     * @param bySecond whether to keep figures by second
     */
    public Recorder(boolean bySecond) {
        this.bySecond = bySecond;
    }

    /** Resets all but the failures, and starts recording. */
    void begin(long nowNanos) {
        nanos.reset();
        second.reset();
        seconds.clear();
        phases.clear();
        phase.reset();
        units = 0;
        startedNanos = nowNanos;
        counts = true;
    }

    /** Stops recording. */
    void end() {
        counts = false;
    }

    /**
     * Records a success.
     *
     * @param intendedNanos start; at a fixed rate the due time
     * @param howMany number of operations, events or keys
     */
    public void done(long intendedNanos, long nowNanos, int howMany) {
        if (!counts) {
            return;
        }
        long took = Math.min(Math.max(0, nowNanos - intendedNanos), NANOS_MAX);
        nanos.recordValue(took);
        units += howMany;
        if (bySecond) {
            completeSecondsUntil((int) ((nowNanos - startedNanos) / 1_000_000_000L));
            second.recordValue(took);
            phase.recordValue(took);
        }
    }

    /** Records a failure, also while nothing else is recorded. */
    public void failed(String why) {
        failures++;
        if (firstFailure == null) {
            firstFailure = why;
        }
    }

    /** Ends a phase. */
    public void endPhase() {
        phases.add(Latency.of(phase));
        phase.reset();
    }

    /** Latencies of the completed phases; zero unless figures by second are kept. */
    public List<Latency> phases() {
        return List.copyOf(phases);
    }

    /** Start of the recording in {@link System#nanoTime}; 0 if it is off. */
    public long startedNanos() {
        return counts ? startedNanos : 0;
    }

    /** Number of successful operations, events or keys. */
    long units() {
        return units;
    }

    /** Number of failures since its creation. */
    public long failures() {
        return failures;
    }

    /** Null without failures. */
    public String firstFailure() {
        return firstFailure;
    }

    /** Latencies of the successes. */
    Latency latency() {
        return Latency.of(nanos);
    }

    /** Complete seconds so far; empty if they are not kept. */
    List<Second> seconds() {
        return List.copyOf(seconds);
    }

    private void completeSecondsUntil(int now) {
        while (seconds.size() < now) {
            seconds.add(
                    new Second(
                            seconds.size(),
                            second.getTotalCount(),
                            second.getValueAtPercentile(99) / 1e3));
            second.reset();
        }
    }
}
