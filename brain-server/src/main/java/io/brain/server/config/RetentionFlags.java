package io.brain.server.config;

import io.brain.server.config.BrainConfig.Retention;
import java.time.Duration;

/** Reads {@code --auto-compaction-mode} and {@code --auto-compaction-retention} as etcd does. */
final class RetentionFlags {
    private static final Duration PERIOD_MIN = Duration.ofMillis(10);
    private static final Duration PERIOD_MAX = Duration.ofDays(3650);

    private RetentionFlags() {}

    /**
     * What history is to be kept.
     *
     * @param mode periodic or revision
     * @param retention a number (hours, or revisions), or a duration, which counts nanoseconds as
     *     revisions in mode revision; 0: all
     * @throws ConfigException if it means nothing
     */
    static Retention parse(String mode, String retention) {
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

    /** etcd takes any: it would compact without a pause, or divide by zero. */
    private static Retention period(Duration time, String text) {
        if (time.compareTo(PERIOD_MIN) < 0 || time.compareTo(PERIOD_MAX) > 0) {
            throw wrong(text, "is not within 10ms and ten years");
        }
        return new Retention(time, 0);
    }

    /** etcd takes negative ones too: each of its compactions would fail. */
    private static Retention revisions(Duration time, String text) {
        if (time.isNegative()) {
            throw wrong(text, "is negative");
        }
        return new Retention(Duration.ZERO, time.toNanos());
    }

    private static ConfigException wrong(String text, String why) {
        return ConfigException.value("--auto-compaction-retention: " + text + ' ' + why);
    }
}
