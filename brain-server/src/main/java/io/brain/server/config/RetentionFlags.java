package io.brain.server.config;

import io.brain.options.GoDuration;
import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Retention;
import java.nio.file.Path;
import java.time.Duration;

/** Flags of background work. */
final class RetentionFlags {
    static final Option<String> AUTO_COMPACTION_MODE =
            Option.text(
                    "auto-compaction-mode",
                    "periodic",
                    "Unit of the retention: periodic (time) or revision.");
    static final Option<String> AUTO_COMPACTION_RETENTION =
            Option.text(
                    "auto-compaction-retention",
                    "0",
                    "History to keep: hours or a duration, or revisions. 0: all, until a client"
                            + " compacts it.");

    static final Option<Path> TTL_RULES =
            Option.path(
                    "ttl-rules",
                    "File with a line PATTERN = TTL for each rule: matching keys that are put"
                            + " without a lease expire. Reloaded when it changes.");

    static final Option<Boolean> WARM_UP =
            Option.bool(
                    "warm-up",
                    "true",
                    "After the start, make requests to a temporary server in this process, so that"
                            + " the JVM has compiled them when clients write.");

    private static final Duration PERIOD_MIN = Duration.ofMillis(10);
    private static final Duration PERIOD_MAX = Duration.ofDays(3650);

    private RetentionFlags() {}

    /**
     * Reads the retention: a number (hours, or revisions), or a duration, whose nanoseconds count
     * as revisions in mode revision.
     *
     * @throws ConfigException if it is invalid
     */
    static Retention read(FlagValues values) {
        String mode = values.get(AUTO_COMPACTION_MODE);
        String retention = values.get(AUTO_COMPACTION_RETENTION);
        boolean periodic = mode.equals("periodic");
        if (!periodic && !mode.equals("revision")) {
            throw ConfigException.value(
                    mode.isEmpty()
                            ? "undefined auto-compaction-mode"
                            : "unknown auto-compaction-mode \"" + mode + '"');
        }
        try {
            Duration time = time(retention, periodic ? Duration.ofHours(1) : Duration.ofNanos(1));
            if (time.isZero()) {
                return Retention.ALL;
            }
            return periodic ? period(time, retention) : revisions(time, retention);
        } catch (ArithmeticException tooLong) {
            throw wrong(retention, "is too long");
        }
    }

    private static Duration time(String text, Duration unit) {
        if (text.isEmpty()) {
            return Duration.ZERO;
        }
        if (text.matches("\\+?\\d{1,18}")) {
            return unit.multipliedBy(Long.parseLong(text));
        }
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw ConfigException.value(
                    "error parsing CompactionRetention: time: invalid duration \"" + text + '"');
        }
    }

    /** Unlike etcd, which would compact without a pause, or divide by zero. */
    private static Retention period(Duration time, String text) {
        if (time.compareTo(PERIOD_MIN) < 0 || time.compareTo(PERIOD_MAX) > 0) {
            throw wrong(text, "must be from 10ms to ten years");
        }
        return new Retention(time, 0);
    }

    /** Unlike etcd, rejects a negative number, with which each compaction would fail. */
    private static Retention revisions(Duration time, String text) {
        if (time.isNegative()) {
            throw wrong(text, "must not be negative");
        }
        return new Retention(Duration.ZERO, time.toNanos());
    }

    private static ConfigException wrong(String text, String why) {
        return ConfigException.value(AUTO_COMPACTION_RETENTION.flag() + ": " + text + ' ' + why);
    }
}
