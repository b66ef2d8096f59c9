package io.brain.server.config;

import static io.brain.server.config.ConfigException.require;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Access;
import io.brain.server.config.BrainConfig.Calls;
import io.brain.server.config.BrainConfig.Log;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** Flags of logging. */
final class LogFlags {
    static final Option<Log.Level> LOG_LEVEL =
            Option.text("log-level", "info", "debug, info, warn, error, panic or fatal.")
                    .map(LogFlags::level);
    static final Option<Log.Format> LOG_FORMAT =
            Option.text("log-format", "json", "json or console.").map(LogFlags::format);
    static final Option<Log.Output> LOG_OUTPUTS =
            Option.text("log-outputs", "default", "default, stderr or stdout; no file, no list.")
                    .map(LogFlags::output);
    static final Option<Duration> WARNING_APPLY_DURATION =
            Option.duration(
                    "warning-apply-duration",
                    "100ms",
                    "A batch of writes that takes longer is logged, with its stages.");
    static final Option<Duration> WARNING_UNARY_REQUEST_DURATION =
            Option.duration(
                    "warning-unary-request-duration",
                    "300ms",
                    "A unary call that takes longer is logged.");
    static final Option<Boolean> ENABLE_DISTRIBUTED_TRACING =
            Option.bool(
                    "enable-distributed-tracing",
                    "false",
                    "Add the trace ID to log lines about a call: from the span of an attached"
                            + " OpenTelemetry agent, or from the client's traceparent. The agent"
                            + " exports spans according to its own settings.");
    static final Option<String> ACCESS_LOG =
            Option.text(
                            "brain-access-log",
                            "",
                            "File to log every call to, one JSON object per line, without values;"
                                    + " -: standard output.")
                    .map(
                            require(
                                    file -> !file.contains("%"),
                                    "--brain-access-log must not contain '%'"));
    static final Option<Long> ACCESS_LOG_SIZE =
            Option.bytes(
                            "brain-access-log-size",
                            "64MiB",
                            "Size at which the file is rotated: FILE becomes FILE.1, FILE.1 becomes"
                                    + " FILE.2, up to FILE.4.")
                    .map(Option::notNegative)
                    .map(
                            require(
                                    bytes -> bytes >= 64 << 10,
                                    "--brain-access-log-size must be at least 64KiB"));

    private static final int SAMPLING_RATE_MAX = 1_000_000;

    /** etcd's text, with its spelling. */
    private static final String SAMPLING_REFUSED =
            "distributed tracing configurition is not valid: (tracing sampling rate ";

    private LogFlags() {}

    static Log read(FlagValues values) {
        return new Log(
                values.get(LOG_LEVEL),
                values.get(LOG_FORMAT),
                values.get(LOG_OUTPUTS),
                values.get(WARNING_APPLY_DURATION),
                calls(values));
    }

    private static Calls calls(FlagValues values) {
        boolean traced = values.get(ENABLE_DISTRIBUTED_TRACING);
        long rate =
                values.isSet(IgnoredFlags.SAMPLING_RATE)
                        ? values.get(IgnoredFlags.SAMPLING_RATE)
                        : 0;
        if (traced && rate < 0) {
            throw ConfigException.value(SAMPLING_REFUSED + "must be positive)");
        }
        if (traced && rate > SAMPLING_RATE_MAX) {
            throw ConfigException.value(SAMPLING_REFUSED + "must be less than 1000000)");
        }
        String file = values.get(ACCESS_LOG);
        long bytes = values.get(ACCESS_LOG_SIZE);
        Path path = file.equals("-") ? null : values.read(ACCESS_LOG, Path::of, file);
        Access access = file.isEmpty() ? null : new Access(path, bytes);
        return new Calls(values.get(WARNING_UNARY_REQUEST_DURATION), traced, access);
    }

    /** As in etcd, upper and lower case are equal. */
    private static Log.Level level(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "debug" -> Log.Level.DEBUG;
            case "info", "" -> Log.Level.INFO;
            case "warn", "warning" -> Log.Level.WARN;
            case "error", "dpanic", "panic", "fatal" -> Log.Level.ERROR;
            default -> throw ConfigException.value("unrecognized level: \"" + text + '"');
        };
    }

    private static Log.Format format(String text) {
        return switch (text) {
            case "json" -> Log.Format.JSON;
            case "console" -> Log.Format.CONSOLE;
            default ->
                    throw ConfigException.value(
                            "unknown log format: " + text + ", supported values json, console");
        };
    }

    private static Log.Output output(String text) {
        return switch (text) {
            case "default", "stderr" -> Log.Output.STDERR;
            case "stdout" -> Log.Output.STDOUT;
            default ->
                    throw ConfigException.value("--log-outputs must be default, stderr or stdout");
        };
    }
}
