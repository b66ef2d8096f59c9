package io.brain.storage.mysql;

import io.brain.options.DatabaseUrl;
import io.brain.options.Option;
import io.brain.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of the storage, parsed from its options.
 *
 * @param url of the database, in the form of the driver; without a password
 * @param user name of the database's user; empty: what the URL says
 * @param password of the user; empty if there is none
 * @param schema the tables
 * @param readers maximum number of connections that read, and so of open snapshots
 * @param writers maximum number of connections that commit
 * @param limit time limit of a statement, and of waiting for a connection
 */
record SqlSettings(
        String url,
        String user,
        String password,
        Schema schema,
        int readers,
        int writers,
        Duration limit) {
    /** Environment variable with the password. */
    static final String PASSWORD = "BRAIN_DATABASE_PASSWORD";

    /**
     * A server has one thread per core that reads for clients, and ten others that read. With fewer
     * connections, long reads for clients would keep the leader from renewing its leadership.
     */
    static final int READERS_MIN = Runtime.getRuntime().availableProcessors() + 10;

    private static final Option<String> DATA_DIR =
            Option.text("data-dir", "", "not used: all data is in the database");
    private static final Option<String> URL =
            Option.text(
                    "database-url",
                    "",
                    "jdbc:mariadb://HOST:PORT/DATABASE or jdbc:postgresql://HOST:PORT/DATABASE,"
                            + " with the driver's parameters, such as those of TLS; required");
    private static final Option<String> USER =
            Option.text("database-user", "", "user of the database");
    private static final Option<Path> PASSWORD_FILE =
            Option.path(
                    "database-password-file",
                    "file with the password; without it, the environment variable "
                            + PASSWORD
                            + " has the password");
    private static final Option<String> TABLES =
            Option.text(
                            "table-prefix",
                            "brain_",
                            "beginning of the tables' names, if several clusters share a database")
                    .map(SqlSettings::tables)
                    .expects("up to 40 lower-case letters, digits or '_', a letter first");
    private static final Option<Integer> READERS =
            Option.number(
                            "read-connections",
                            "" + Math.max(24, READERS_MIN),
                            READERS_MIN,
                            1000,
                            "maximum number of connections that read; each thread that reads needs"
                                    + " one: at least one per core, and 10")
                    .map(Math::toIntExact);
    private static final Option<Integer> WRITERS =
            Option.number(
                            "write-connections",
                            "3",
                            2,
                            100,
                            "maximum number of connections that commit")
                    .map(Math::toIntExact);
    private static final Option<Duration> LIMIT =
            Option.number(
                            "statement-timeout-ms",
                            "10000",
                            1000,
                            600_000,
                            "time limit of a statement, and of waiting for a connection")
                    .map(Duration::ofMillis);

    /** All options, in the order of the help. */
    static final List<Option<?>> OPTIONS =
            List.of(DATA_DIR, URL, USER, PASSWORD_FILE, TABLES, READERS, WRITERS, LIMIT);

    /**
     * Reads options.
     *
     * @param given by name
     * @param environment variables of the process
     * @throws IllegalArgumentException for an option that is unknown, missing or out of range
     */
    static SqlSettings parse(
            Dialect dialect, Map<String, String> given, Map<String, String> environment) {
        StorageOptions options = new StorageOptions(OPTIONS, given);
        return new SqlSettings(
                url(dialect, options.get(URL)),
                options.get(USER),
                password(options.get(PASSWORD_FILE), environment),
                Schema.of(options.get(TABLES)),
                options.get(READERS),
                options.get(WRITERS),
                options.get(LIMIT));
    }

    private static String tables(String prefix) {
        if (!prefix.matches("[a-z][a-z0-9_]{0,39}")) {
            throw new IllegalArgumentException("malformed");
        }
        return prefix;
    }

    private static String url(Dialect dialect, String url) {
        List<String> prefixes = dialect.urlPrefixes();
        for (String prefix : prefixes) {
            if (url.startsWith(prefix)) {
                refusePassword(url);
                String rest = url.substring(prefix.length());
                String flaw = dialect.urlFlaw(rest.toLowerCase(Locale.ROOT));
                if (flaw != null) {
                    throw new IllegalArgumentException("storage option database-url " + flaw);
                }
                return prefixes.get(0) + rest;
            }
        }
        throw new IllegalArgumentException(
                "storage option database-url is required and begins with "
                        + String.join(" or ", prefixes)
                        + "//");
    }

    /** A command line and a URL are seen by others, and logged. */
    private static void refusePassword(String url) {
        if (DatabaseUrl.hasPassword(url)) {
            throw new IllegalArgumentException(
                    "storage option database-url must not have a password: use"
                            + " database-password-file or "
                            + PASSWORD);
        }
    }

    private static String password(Path file, Map<String, String> environment) {
        if (file == null) {
            return environment.getOrDefault(PASSWORD, "");
        }
        try {
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "storage option database-password-file cannot be read: " + e, e);
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return url + " user=" + user + " tables=" + schema;
    }
}
