package io.brain.backend.compact;

import java.time.Duration;

/**
 * What history is kept without anybody asking for a compaction. etcd's rules.
 *
 * @param mode what {@code retention} counts
 * @param retention nanoseconds or revisions of history to keep; 0 with {@link Mode#OFF}
 */
public record AutoCompactSettings(Mode mode, long retention) {
    /** Everything is kept until a client asks for a compaction. */
    public static final AutoCompactSettings OFF = new AutoCompactSettings(Mode.OFF, 0);

    /** The shortest period; a tenth of it is the time between looks. */
    public static final Duration PERIOD_MIN = Duration.ofMillis(10);

    /** The longest period: ten years. */
    public static final Duration PERIOD_MAX = Duration.ofDays(3650);

    /** What the retention counts. */
    public enum Mode {
        OFF,
        PERIODIC,
        REVISION
    }

    /** Checks that there is something to keep. */
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

    /** Keeps what was readable {@code period} ago. */
    public static AutoCompactSettings periodic(Duration period) {
        return new AutoCompactSettings(Mode.PERIODIC, period.toNanos());
    }

    /** Keeps the newest {@code count} revisions. */
    public static AutoCompactSettings revisions(long count) {
        return new AutoCompactSettings(Mode.REVISION, count);
    }
}
