package io.brain.bench.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Counts what ends while it is told to. Of the client's event loop only. */
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
     * @param at its number, from 0
     * @param p99Micros of what ended in it
     */
    public record Second(int at, long operations, double p99Micros) {}

    /**
     * Counts nothing yet.
     *
     * @param bySecond true if each second is to be seen by itself
     */
    public Recorder(boolean bySecond) {
        this.bySecond = bySecond;
    }

    /** Forgets all, but what failed, and counts from now on. */
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

    /** Counts no more. */
    void end() {
        counts = false;
    }

    /**
     * Something ended well.
     *
     * @param intendedNanos when it should have begun: at a fixed rate its turn, not when it was
     *     sent
     * @param howMany operations, events or keys it counts for
     */
    public void done(long intendedNanos, long nowNanos, int howMany) {
        if (!counts) {
            return;
        }
        long took = Math.min(Math.max(0, nowNanos - intendedNanos), NANOS_MAX);
        nanos.recordValue(took);
        units += howMany;
        if (bySecond) {
            turnTo((int) ((nowNanos - startedNanos) / 1_000_000_000L));
            second.recordValue(took);
            phase.recordValue(took);
        }
    }

    /** Something failed; counted whenever it happens, as it makes the figures doubtful. */
    public void failed(String why) {
        failures++;
        if (firstFailure == null) {
            firstFailure = why;
        }
    }

    /** From now on is another phase; what ended since the last one, or since it counts, is one. */
    public void endPhase() {
        phases.add(Latency.of(phase));
        phase.reset();
    }

    /** Those that were ended while it counted; all zero unless seconds are kept. */
    public List<Latency> phases() {
        return List.copyOf(phases);
    }

    /** When it began to count, in the machine's nanoseconds; 0 if it does not count. */
    public long startedNanos() {
        return counts ? startedNanos : 0;
    }

    /** Operations, events or keys that ended well while it counted. */
    long units() {
        return units;
    }

    /** Since it was made. */
    public long failures() {
        return failures;
    }

    /** Null if nothing failed. */
    public String firstFailure() {
        return firstFailure;
    }

    /** Of what ended well while it counted. */
    Latency latency() {
        return Latency.of(nanos);
    }

    /** The whole seconds until now; empty if they are not kept. */
    List<Second> seconds() {
        return List.copyOf(seconds);
    }

    private void turnTo(int now) {
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
