package io.brain.server.config;

import static io.brain.server.config.ConfigException.require;

import io.brain.options.Endpoints;
import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Source;
import java.nio.file.Path;

/** Flags of a server that follows another cluster. */
final class StandbyFlags {
    static final Option<String> STANDBY_OF =
            Option.text(
                            "standby-of",
                            "",
                            "Client URLs of a running etcd or Brain, separated by commas, to follow"
                                    + " until the cutover of brain migrate. An empty data directory"
                                    + " is filled from it.")
                    .map(
                            require(
                                    text -> text.isEmpty() || areUrls(text),
                                    "--standby-of must be http or https URLs with ports"));
    static final Option<Path> STANDBY_CACERT =
            Option.path("standby-cacert", "CA bundle that verifies the servers of --standby-of.");
    static final Option<Path> STANDBY_CERT =
            Option.path("standby-cert", "Client certificate for --standby-of, PEM.");
    static final Option<Path> STANDBY_KEY =
            Option.path("standby-key", "Private key of --standby-cert, PEM.");

    private StandbyFlags() {}

    private static boolean areUrls(String text) {
        try {
            return text.contains("://") && !Endpoints.parse(text).urls().isEmpty();
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** The cluster to follow; null: none. */
    static Source read(FlagValues values) {
        String servers = values.get(STANDBY_OF);
        Path certificate = values.get(STANDBY_CERT);
        Path key = values.get(STANDBY_KEY);
        if ((certificate == null) != (key == null)) {
            throw ConfigException.value("--standby-cert needs --standby-key, and the reverse");
        }
        if (servers.isEmpty()) {
            return null;
        }
        if (!values.get(ClusterFlags.STORAGE).equals("rocksdb")) {
            throw ConfigException.value("--standby-of needs --storage rocksdb");
        }
        return new Source(Endpoints.parse(servers), values.get(STANDBY_CACERT), certificate, key);
    }
}
