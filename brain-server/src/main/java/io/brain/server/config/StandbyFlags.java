package io.brain.server.config;

import static io.brain.server.config.ConfigException.require;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Source;
import java.net.URI;
import java.nio.file.Path;

/** Flags of a server that follows another cluster. */
final class StandbyFlags {
    static final Option<String> STANDBY_OF =
            Option.text(
                            "standby-of",
                            "",
                            "Client URL of a running etcd or Brain to follow until the cutover of"
                                    + " brain migrate. An empty data directory is filled from it.")
                    .map(
                            require(
                                    text -> text.isEmpty() || isUrl(text),
                                    "--standby-of must be an http or https URL with a port"));
    static final Option<Path> STANDBY_CACERT =
            Option.path("standby-cacert", "CA bundle that verifies the server of --standby-of.");
    static final Option<Path> STANDBY_CERT =
            Option.path("standby-cert", "Client certificate for --standby-of, PEM.");
    static final Option<Path> STANDBY_KEY =
            Option.path("standby-key", "Private key of --standby-cert, PEM.");

    private StandbyFlags() {}

    private static boolean isUrl(String text) {
        try {
            URI url = URI.create(text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            return http && url.getHost() != null && url.getPort() > 0;
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** The cluster to follow; null: none. */
    static Source read(FlagValues values) {
        String url = values.get(STANDBY_OF);
        Path certificate = values.get(STANDBY_CERT);
        Path key = values.get(STANDBY_KEY);
        if ((certificate == null) != (key == null)) {
            throw ConfigException.value("--standby-cert needs --standby-key, and the reverse");
        }
        if (url.isEmpty()) {
            return null;
        }
        if (!values.get(ClusterFlags.STORAGE).equals("rocksdb")) {
            throw ConfigException.value("--standby-of needs --storage rocksdb");
        }
        return new Source(URI.create(url), values.get(STANDBY_CACERT), certificate, key);
    }
}
