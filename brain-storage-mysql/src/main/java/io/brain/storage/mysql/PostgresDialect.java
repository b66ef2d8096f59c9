package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** PostgreSQL 13 or newer. */
final class PostgresDialect implements Dialect {
    /** The lock under which servers create tables, one after the other: any number. */
    static final long SCHEMA_LOCK = 0x627261696eL;

    private static final String REPEATABLE = "repeatable read";
    private static final String NEWEST = "read committed";

    /** What a session has of its settings that reads and commits rely on. */
    private static final String SETTINGS =
            "current_setting('transaction_isolation') || ', '"
                    + " || current_setting('synchronous_commit')";

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:postgresql:");
    }

    /** Of several hosts the driver takes the primary: a standby lags behind. */
    @Override
    public String urlFlaw(String rest) {
        return rest.matches(".*[?&]targetservertype=(?!(primary|master)(&|$)).*")
                ? "must not choose replicas: they lag behind"
                : null;
    }

    /** A B-tree takes 2704 bytes, with the header of the entry and of the value. */
    @Override
    public int keyBytesMax() {
        return 2600;
    }

    @Override
    public void limit(Properties driver, Duration connect, Duration answer) {
        driver.setProperty("connectTimeout", Long.toString(Math.max(1, connect.toSeconds())));
        driver.setProperty("loginTimeout", Long.toString(Math.max(1, connect.toSeconds())));
        driver.setProperty("socketTimeout", Long.toString(Math.max(1, answer.toSeconds())));
        driver.setProperty("tcpKeepAlive", "true");
        driver.setProperty("ApplicationName", "brain");
        driver.setProperty("targetServerType", "primary");
    }

    @Override
    public String sessionStart(
            Connection connection, boolean repeatable, Duration limit, Duration idle) {
        return "SET default_transaction_isolation = '%s'; "
                        .formatted(repeatable ? REPEATABLE : NEWEST)
                + "SET statement_timeout = %d; ".formatted(limit.toMillis())
                + "SET idle_in_transaction_session_timeout = %d; ".formatted(idle.toMillis())
                + "SET synchronous_commit = on";
    }

    /** The driver has not connected to a standby. */
    @Override
    public void requireSafe(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW fsync")) {
            rows.next();
            if (!rows.getString(1).equals("on")) {
                throw new StorageException(
                        Kind.REFUSED,
                        "the database may lose acknowledged commits: fsync is off, must be on");
            }
        }
    }

    @Override
    public void createTables(Connection connection, String kv, String clock) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + kv
                            + " (k bytea PRIMARY KEY, v bytea NOT NULL)");
            statement.execute(
                    "ALTER TABLE "
                            + kv
                            + " ALTER COLUMN k SET STORAGE PLAIN, ALTER COLUMN v SET STORAGE"
                            + " EXTERNAL");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + clock
                            + " (id int PRIMARY KEY, format int NOT NULL, now bigint NOT NULL)"
                            + " WITH (fillfactor = 10)");
            statement.execute(
                    "INSERT INTO "
                            + clock
                            + " (id, format, now) SELECT 1, "
                            + Schema.FORMAT
                            + ", 1 WHERE NOT EXISTS (SELECT 1 FROM "
                            + kv
                            + ") ON CONFLICT DO NOTHING");
        }
    }

    @Override
    public List<String> kvTable() {
        return List.of("k bytea(2147483647)", "v bytea(2147483647)", "PRIMARY KEY k");
    }

    @Override
    public long now(Connection connection, String clock) throws SQLException {
        String query = "SELECT now, " + SETTINGS + " FROM " + clock + " WHERE id = 1";
        return time(connection, query, REPEATABLE);
    }

    @Override
    public long tick(Connection connection, String clock) throws SQLException {
        String change = "UPDATE " + clock + " SET now = now + 1 WHERE id = 1 RETURNING now, ";
        return time(connection, change + SETTINGS, NEWEST);
    }

    private static long time(Connection connection, String statement, String isolation)
            throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statement);
                ResultSet rows = prepared.executeQuery()) {
            long time = Schema.onlyLong(rows);
            String found = rows.getString(2);
            String expected = isolation + ", on";
            if (!found.equals(expected)) {
                throw new StorageException(
                        Kind.REFUSED,
                        ("a session of the database has lost its settings, as through a pool that"
                                        + " gives each transaction another connection: isolation"
                                        + " and synchronous_commit are %s, must be %s")
                                .formatted(found, expected));
            }
            return time;
        }
    }

    @Override
    public String orReplace() {
        return " ON CONFLICT (k) DO UPDATE SET v = excluded.v";
    }

    /** The limit of a bytea is 1 GiB; a batch has less. */
    @Override
    public long valueBytesMax(Connection connection) {
        return 256L << 20;
    }
}
