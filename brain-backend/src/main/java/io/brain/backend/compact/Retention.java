package io.brain.backend.compact;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Decides when to compact, and at which revision. Called in turn: {@link #beginInterval}, after an
 * interval {@link #due}, after a compaction {@link #compacted}. Used by one thread at a time.
 */
interface Retention {
    /** Result of {@link #due} if there is nothing to do. */
    long NOTHING = 0;

    /** Time between checks. */
    Duration interval();

    /** An interval begins at {@code revision}. */
    void beginInterval(long revision);

    /**
     * The revision to compact at, or {@link #NOTHING}; the same until {@link #compacted}.
     *
     * @param now monotonic nanoseconds
     * @param revision the newest revision
     */
    long due(long now, long revision);

    /** The due compaction was done. */
    void compacted(long floor, long now);

    /** The retention of the settings; null if off. */
    static Retention of(AutoCompactSettings settings, long now) {
        return switch (settings.mode()) {
            case OFF -> null;
            case PERIODIC -> new Periodic(settings.retention(), now);
            case REVISION -> new Revisions(settings.retention());
        };
    }

    /**
     * Keeps a period of history. Records the newest revision ten times per period (per hour if the
     * period is longer), so that compacted revisions are at least one period old. Compacts after
     * the first period, then once per period, or per hour if that is shorter.
     */
    final class Periodic implements Retention {
        private static final long HOUR = Duration.ofHours(1).toNanos();
        private static final int CHECKS = 10;

        private final long cycle;
        private final long interval;
        private final int revisionsMax;
        private final ArrayDeque<Long> revisions = new ArrayDeque<>();
        private long nextCompaction;
        private long lastFloor;

        Periodic(long period, long now) {
            cycle = Math.min(period, HOUR);
            interval = cycle / CHECKS;
            revisionsMax = Math.toIntExact(period / interval) + 1;
            nextCompaction = now + period;
        }

        @Override
        public Duration interval() {
            return Duration.ofNanos(interval);
        }

        @Override
        public void beginInterval(long revision) {
            revisions.addLast(revision);
            if (revisions.size() > revisionsMax) {
                revisions.removeFirst();
            }
        }

        @Override
        public long due(long now, long revision) {
            long oldest = revisions.getFirst();
            return now - nextCompaction < 0 || oldest == lastFloor ? NOTHING : oldest;
        }

        @Override
        public void compacted(long floor, long now) {
            lastFloor = floor;
            nextCompaction = now + cycle;
        }
    }

    /** Keeps a number of revisions; checks every five minutes. */
    final class Revisions implements Retention {
        private static final Duration INTERVAL = Duration.ofMinutes(5);

        private final long kept;
        private long lastFloor;

        Revisions(long kept) {
            this.kept = kept;
        }

        @Override
        public Duration interval() {
            return INTERVAL;
        }

        @Override
        public void beginInterval(long revision) {}

        @Override
        public long due(long now, long revision) {
            long floor = revision - kept;
            return floor <= 0 || floor == lastFloor ? NOTHING : floor;
        }

        @Override
        public void compacted(long floor, long now) {
            lastFloor = floor;
        }
    }
}
