package io.brain.backend.compact;

import java.time.Duration;

/**
 * Retention of history by auto-compaction, as in etcd.
 *
 * @param retention nanoseconds or revisions of history to keep; 0 with {@link Mode#OFF}
 */
public record AutoCompactSettings(Mode mode, long retention) {
    public static final AutoCompactSettings OFF = new AutoCompactSettings(Mode.OFF, 0);
    public static final Duration PERIOD_MIN = Duration.ofMillis(10);
    public static final Duration PERIOD_MAX = Duration.ofDays(3650);

    /** Unit of the retention. */
    public enum Mode {
        OFF,
        PERIODIC,
        REVISION
    }

    /** Checks the retention. */
    public AutoCompactSettings {
        long least =
                switch (mode) {
                    case OFF -> 0;
                    case PERIODIC -> PERIOD_MIN.toNanos();
                    case REVISION -> 1;
                };
        long most = mode == Mode.PERIODIC ? PERIOD_MAX.toNanos() : Long.MAX_VALUE;
        if (retention < least || retention > most) {
            throw new IllegalArgumentException("retention " + retention + " in mode " + mode);
        }
    }

    /** Keeps a period of history. */
    public static AutoCompactSettings periodic(Duration period) {
        return new AutoCompactSettings(Mode.PERIODIC, period.toNanos());
    }

    /** Keeps a number of revisions. */
    public static AutoCompactSettings revisions(long count) {
        return new AutoCompactSettings(Mode.REVISION, count);
    }
}
