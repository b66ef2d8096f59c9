package io.brain.server.config;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.config.BrainConfig.Limits;
import io.brain.server.config.BrainConfig.Watches;
import java.time.Duration;

/** Flags of limits on clients and their connections. */
final class LimitFlags {
    static final Option<Long> QUOTA_BACKEND_BYTES =
            Option.bytes(
                            "quota-backend-bytes",
                            "0",
                            "Maximum bytes of data and history; above it the NOSPACE alarm is"
                                    + " raised. 0: no limit.")
                    .map(quota -> Math.max(0, quota));
    static final Option<Integer> MAX_TXN_OPS =
            Option.number(
                            "max-txn-ops",
                            "128",
                            "Maximum operations in a transaction. 0: transactions with compares or"
                                    + " operations are refused.")
                    .map(Option.upTo(Integer.MAX_VALUE));
    static final Option<Integer> MAX_REQUEST_BYTES =
            Option.bytes("max-request-bytes", "1572864", "Maximum bytes of a client request.")
                    .map(Option.upTo(1 << 30))
                    .map(
                            ConfigException.require(
                                    bytes -> bytes > 0,
                                    "--max-request-bytes must be greater than 0"));
    static final Option<Integer> MAX_CONCURRENT_STREAMS =
            Option.number(
                            "max-concurrent-streams",
                            "4294967295",
                            "Maximum concurrent streams per connection; at most one per 22 KiB of"
                                    + " heap. 0: no other limit.")
                    .map(LimitFlags::streams);
    static final Option<Duration> KEEPALIVE_MIN_TIME =
            Option.duration(
                            "grpc-keepalive-min-time",
                            "5s",
                            "Minimum interval between client pings. 0: none.")
                    .map(time -> time.isNegative() ? Duration.ZERO : time);
    static final Option<Duration> KEEPALIVE_INTERVAL =
            Option.duration(
                    "grpc-keepalive-interval",
                    "2h",
                    "Idle time after which the server pings a connection. 0: 2h, with a timeout of"
                            + " 20s.");
    static final Option<Duration> KEEPALIVE_TIMEOUT =
            Option.duration(
                    "grpc-keepalive-timeout",
                    "20s",
                    "Time to wait for a ping's answer before the connection is closed. 0: 20s, with"
                            + " an interval of 2h.");
    static final Option<Duration> WATCH_PROGRESS_NOTIFY_INTERVAL =
            Option.duration(
                            "watch-progress-notify-interval",
                            "10m",
                            "Interval of progress notifications to watchers that request them.")
                    .map(LimitFlags::progressInterval);

    static final Option<Boolean> WATCH_PROGRESS_BEFORE_COMPACTION =
            Option.bool(
                    "watch-progress-before-compaction",
                    "true",
                    "Send a progress notification to watchers that request them before each"
                            + " compaction, so that they can resume after it.");

    static final Option<Long> WATCH_RESUME_BELOW_COMPACTION =
            Option.number(
                            "watch-resume-below-compaction",
                            "0",
                            "Serve watches that start up to this many revisions below the compact"
                                    + " revision, if compaction removed nothing that they need. The"
                                    + " commit log keeps as many more revisions. 0: none.")
                    .map(Option::notNegative);

    private static final Duration PROGRESS_INTERVAL_MIN = Duration.ofMillis(100);
    private static final Duration PING_INTERVAL = Duration.ofHours(2);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration PROGRESS_INTERVAL = Duration.ofMinutes(10);

    private LimitFlags() {}

    static Limits read(FlagValues values) {
        return new Limits(
                values.get(QUOTA_BACKEND_BYTES),
                values.get(MAX_REQUEST_BYTES),
                values.get(MAX_TXN_OPS),
                values.get(MAX_CONCURRENT_STREAMS),
                new Watches(
                        values.get(WATCH_PROGRESS_NOTIFY_INTERVAL),
                        values.get(WATCH_PROGRESS_BEFORE_COMPACTION),
                        values.get(WATCH_RESUME_BELOW_COMPACTION)),
                keepAlive(values));
    }

    private static int streams(long given) {
        long max = Option.notNegative(given);
        return max == 0 ? Integer.MAX_VALUE : (int) Math.min(max, Integer.MAX_VALUE);
    }

    /** As in etcd, both defaults apply unless both values are positive. */
    private static KeepAlive keepAlive(FlagValues values) {
        Duration interval = values.get(KEEPALIVE_INTERVAL);
        Duration timeout = values.get(KEEPALIVE_TIMEOUT);
        boolean positive =
                interval.compareTo(Duration.ZERO) > 0 && timeout.compareTo(Duration.ZERO) > 0;
        return new KeepAlive(
                values.get(KEEPALIVE_MIN_TIME),
                positive ? interval : PING_INTERVAL,
                positive ? timeout : PING_TIMEOUT);
    }

    private static Duration progressInterval(Duration given) {
        if (given.isZero() || given.isNegative()) {
            return PROGRESS_INTERVAL;
        }
        return given.compareTo(PROGRESS_INTERVAL_MIN) < 0 ? PROGRESS_INTERVAL_MIN : given;
    }
}
