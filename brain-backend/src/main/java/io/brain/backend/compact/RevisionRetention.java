package io.brain.backend.compact;

import java.time.Duration;

/** Keeps a number of revisions; looked at every five minutes. */
final class RevisionRetention implements Retention {
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    private final long kept;
    private long lastFloor;

    RevisionRetention(long kept) {
        this.kept = kept;
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public void waits(long revision) {}

    @Override
    public long due(long nanos, long revision) {
        long floor = revision - kept;
        return floor <= 0 || floor == lastFloor ? NOTHING : floor;
    }

    @Override
    public void compacted(long floor, long nanos) {
        lastFloor = floor;
    }
}
