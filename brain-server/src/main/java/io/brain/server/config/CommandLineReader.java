package io.brain.server.config;

import io.brain.server.config.BrainConfig.Access;
import io.brain.server.config.BrainConfig.Calls;
import io.brain.server.config.BrainConfig.Endpoint;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.config.BrainConfig.Limits;
import io.brain.server.config.BrainConfig.Log;
import io.brain.server.config.BrainConfig.Tls;
import io.brain.server.config.BrainConfig.Upkeep;
import io.brain.server.config.BrainConfig.Urls;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes a {@link BrainConfig} of the command line and the environment. */
public final class CommandLineReader {
    private static final Duration PROGRESS_INTERVAL_MIN = Duration.ofMillis(100);
    private static final Duration PROGRESS_INTERVAL = Duration.ofMinutes(10);
    private static final int REQUEST_BYTES_MAX = 1 << 30;
    private static final int ACCESS_BYTES_MIN = 64 << 10;
    private static final String SAMPLING_RATE = "distributed-tracing-sampling-rate";
    private static final int SAMPLING_RATE_MAX = 1_000_000;

    /** As etcd has it. */
    private static final String SAMPLING_REFUSED =
            "distributed tracing configurition is not valid: (tracing sampling rate ";

    private CommandLineReader() {}

    /**
     * What the command line asks for.
     *
     * @param config the settings; null if {@code text} is to be printed instead
     * @param text the help, the version or the settings; null if the server is to run
     * @param help true if the text is the help
     * @param notes lines for the log, for an operator to read
     */
    public record Request(BrainConfig config, String text, boolean help, List<String> notes) {}

    /**
     * Reads the command line.
     *
     * @param environment of the process
     * @throws ConfigException if it cannot be followed
     */
    public static Request read(List<String> args, Map<String, String> environment) {
        FlagValues values = new FlagParser().parse(args, environment);
        if (values.help() != null) {
            String text = values.help() ? Texts.help() : Texts.version();
            return new Request(null, text, values.help(), List.of());
        }
        values.check();
        BrainConfig config = config(values);
        if (values.bool(Flags.CONFIG_PRINT)) {
            return new Request(null, ConfigText.of(values), false, List.of());
        }
        return new Request(config, null, false, notes(values, config));
    }

    /** How to call the program: for stderr, after a mistake on the command line. */
    public static String usage() {
        return Texts.usage();
    }

    private static BrainConfig config(FlagValues values) {
        Path dataDir = path("data-dir", dataDir(values));
        return new BrainConfig(
                values.text("name"),
                urls(values, dataDir),
                limits(values),
                upkeep(values),
                log(values),
                ClusterFlags.storage(values, dataDir),
                ClusterFlags.cluster(values, dataDir));
    }

    static String dataDir(FlagValues values) {
        String dataDir = values.text("data-dir");
        return dataDir.isEmpty() ? values.text("name") + ".etcd" : dataDir;
    }

    /** The path that a flag's text names. */
    static Path path(String flag, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException malformed) {
            throw ConfigException.value("--" + flag + ": " + malformed.getMessage());
        }
    }

    private static Urls urls(FlagValues values, Path dataDir) {
        boolean listens = values.isSet("listen-client-urls") && values.file() == null;
        if (listens && !values.isSet("advertise-client-urls")) {
            throw ConfigException.value(
                    "--advertise-client-urls is required when --listen-client-urls is set"
                            + " explicitly");
        }
        List<Endpoint> clients = endpoints(values, "listen-client-urls");
        if (clients.isEmpty()) {
            throw ConfigException.value("--listen-client-urls names no URL to listen on");
        }
        List<Endpoint> pages = endpoints(values, "listen-client-http-urls");
        for (Endpoint page : pages) {
            boolean fixed = !(page.address() instanceof InetSocketAddress at) || at.getPort() != 0;
            if (fixed && clients.stream().anyMatch(c -> c.address().equals(page.address()))) {
                throw ConfigException.value(
                        "cannot bind both --listen-client-urls and --listen-client-http-urls on"
                                + " the same address "
                                + page.address());
            }
        }
        List<URI> all = new ArrayList<>(values.urls("listen-client-urls"));
        all.addAll(values.urls("listen-client-http-urls"));
        Tls tls = TlsFlags.clients(values, dataDir, all);
        requireCertificate(all, "client url", tls);
        requireCertificate(values.urls("listen-metrics-urls"), "metrics url", tls);
        return new Urls(
                clients,
                pages,
                endpoints(values, "listen-metrics-urls"),
                values.urls("advertise-client-urls"),
                values.urls("initial-advertise-peer-urls"),
                tls,
                values.bool("brain-ui-keys"));
    }

    private static void requireCertificate(List<URI> urls, String what, Tls tls) {
        for (URI url : urls) {
            if (url.getScheme().endsWith("s") && tls.server() == null) {
                throw ConfigException.value(
                        "TLS key/cert (--cert-file, --key-file) must be provided for "
                                + what
                                + ' '
                                + url
                                + " with HTTPS scheme");
            }
        }
    }

    private static List<Endpoint> endpoints(FlagValues values, String flag) {
        return values.urls(flag).stream().distinct().map(u -> ListenUrl.endpoint(flag, u)).toList();
    }

    private static Limits limits(FlagValues values) {
        Duration progress = values.duration("watch-progress-notify-interval");
        if (progress.isZero() || progress.isNegative()) {
            progress = PROGRESS_INTERVAL;
        }
        return new Limits(
                values.limit("quota-backend-bytes"),
                values.size("max-request-bytes", REQUEST_BYTES_MAX),
                values.size("max-txn-ops", Integer.MAX_VALUE),
                (int) Math.min(values.number("max-concurrent-streams"), Integer.MAX_VALUE),
                progress.compareTo(PROGRESS_INTERVAL_MIN) < 0 ? PROGRESS_INTERVAL_MIN : progress,
                new KeepAlive(
                        values.duration("grpc-keepalive-min-time"),
                        values.duration("grpc-keepalive-interval"),
                        values.duration("grpc-keepalive-timeout")));
    }

    private static Upkeep upkeep(FlagValues values) {
        return new Upkeep(
                RetentionFlags.parse(
                        values.text("auto-compaction-mode"),
                        values.text("auto-compaction-retention")),
                gates(values).isOpen(FeatureGates.Gate.LEASE_CHECKPOINT));
    }

    private static FeatureGates gates(FlagValues values) {
        return FeatureGates.parse(values.texts("feature-gates"));
    }

    private static Log log(FlagValues values) {
        Log.Level level =
                switch (values.text("log-level")) {
                    case "debug" -> Log.Level.DEBUG;
                    case "info" -> Log.Level.INFO;
                    case "warn" -> Log.Level.WARN;
                    case "error", "dpanic", "panic", "fatal" -> Log.Level.ERROR;
                    default ->
                            throw ConfigException.value(
                                    "unrecognized level: \"" + values.text("log-level") + '"');
                };
        Log.Format format =
                switch (values.text("log-format")) {
                    case "json" -> Log.Format.JSON;
                    case "console" -> Log.Format.CONSOLE;
                    default ->
                            throw ConfigException.value(
                                    "unknown log format: "
                                            + values.text("log-format")
                                            + ", supported values json, console");
                };
        Log.Output output =
                switch (values.text("log-outputs")) {
                    case "default", "stderr" -> Log.Output.STDERR;
                    case "stdout" -> Log.Output.STDOUT;
                    default ->
                            throw ConfigException.value(
                                    "--log-outputs knows default, stderr and stdout");
                };
        return new Log(
                level, format, output, values.duration("warning-apply-duration"), calls(values));
    }

    private static Calls calls(FlagValues values) {
        boolean traced = values.bool("enable-distributed-tracing");
        long rate = values.isSet(SAMPLING_RATE) ? values.signed(SAMPLING_RATE) : 0;
        if (traced && rate < 0) {
            throw ConfigException.value(SAMPLING_REFUSED + "must be positive)");
        }
        if (traced && rate > SAMPLING_RATE_MAX) {
            throw ConfigException.value(SAMPLING_REFUSED + "must be less than 1000000)");
        }
        String file = values.text("brain-access-log");
        long bytes = values.number("brain-access-log-size");
        if (file.contains("%")) {
            throw ConfigException.value("--brain-access-log: a name without '%'");
        }
        if (bytes < ACCESS_BYTES_MIN) {
            throw ConfigException.value("--brain-access-log-size is below 64KiB");
        }
        Path path = file.equals("-") ? null : path("brain-access-log", file);
        Access access = file.isEmpty() ? null : new Access(path, bytes);
        return new Calls(values.duration("warning-unary-request-duration"), traced, access);
    }

    private static List<String> notes(FlagValues values, BrainConfig config) {
        List<String> notes = new ArrayList<>();
        List<String> idle = new ArrayList<>(values.withoutEffect());
        idle.addAll(ClusterFlags.withoutEffect(values));
        gates(values).withoutEffect().forEach(gate -> idle.add("feature gate " + gate));
        if (!idle.isEmpty()) {
            notes.add("accepted without effect: " + String.join(", ", idle));
        }
        notes.addAll(values.notes());
        notes.addAll(TlsFlags.notes(values, "", "client-"));
        notes.addAll(TlsFlags.notes(values, "peer-", "peer-"));
        notes.addAll(ClusterFlags.notes(values, config.cluster().tls()));
        if (values.text("data-dir").isEmpty()) {
            notes.add("'data-dir' was empty; using " + values.text("name") + ".etcd");
        }
        return notes;
    }
}
