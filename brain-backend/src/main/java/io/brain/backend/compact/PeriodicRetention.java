package io.brain.backend.compact;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Keeps a period of history. The newest revision is noted ten times a period (of a period above an
 * hour: ten times an hour), so what is compacted is always at least a period old. The first
 * compaction comes after the first period, the others once a period, or once an hour if that is
 * shorter.
 */
final class PeriodicRetention implements Retention {
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final int LOOKS = 10;

    private final long cycle;
    private final long interval;
    private final int notesMax;
    private final ArrayDeque<Long> notes = new ArrayDeque<>();
    private long nextCompaction;
    private long lastFloor;

    /** Begins a period at {@code now}. */
    PeriodicRetention(long period, long now) {
        cycle = Math.min(period, HOUR);
        interval = cycle / LOOKS;
        notesMax = Math.toIntExact(period / interval) + 1;
        nextCompaction = now + period;
    }

    @Override
    public Duration interval() {
        return Duration.ofNanos(interval);
    }

    @Override
    public void waits(long revision) {
        notes.addLast(revision);
        if (notes.size() > notesMax) {
            notes.removeFirst();
        }
    }

    @Override
    public long due(long nanos, long revision) {
        long oldest = notes.getFirst();
        return nanos - nextCompaction < 0 || oldest == lastFloor ? NOTHING : oldest;
    }

    @Override
    public void compacted(long floor, long nanos) {
        lastFloor = floor;
        nextCompaction = nanos + cycle;
    }
}
