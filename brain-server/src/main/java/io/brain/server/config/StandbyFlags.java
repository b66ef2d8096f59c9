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
                                + " until the cutover of brain migrate. An empty store is filled"
                                + " from it.")
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
    static final Option<String> STANDBY_USER =
            Option.text(
                    "standby-user",
                    "",
                    "User with the role root at the servers of --standby-of, if they have"
                            + " authentication enabled.");
    static final Option<Path> STANDBY_PASSWORD_FILE =
            Option.path("standby-password-file", "File with the password of --standby-user.");

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
        String user = values.get(STANDBY_USER);
        Path password = values.get(STANDBY_PASSWORD_FILE);
        if (user.isEmpty() != (password == null)) {
            throw ConfigException.value(
                    "--standby-user needs --standby-password-file, and the reverse");
        }
        if (servers.isEmpty()) {
            return null;
        }
        return new Source(
                Endpoints.parse(servers),
                values.get(STANDBY_CACERT),
                certificate,
                key,
                user.isEmpty() ? null : user,
                password);
    }
}
