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
    private static final long SCHEMA_LOCK = 0x627261696eL;

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:postgresql:");
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
        // Of several hosts: a standby lags behind.
        driver.setProperty("targetServerType", "primary");
    }

    @Override
    public String sessionStart(Connection connection, Duration limit, Duration idle) {
        return "SET statement_timeout = %d; SET idle_in_transaction_session_timeout = %d; SET synchronous_commit = on"
                .formatted(limit.toMillis(), idle.toMillis());
    }

    @Override
    public void requireDurable(Connection connection) throws SQLException {
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
                            + " (id, format, now) VALUES (1, "
                            + Schema.FORMAT
                            + ", 1) ON CONFLICT DO NOTHING");
        }
    }

    @Override
    public long tick(Connection connection, String clock) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement(
                                "UPDATE "
                                        + clock
                                        + " SET now = now + 1 WHERE id = 1 RETURNING now");
                ResultSet rows = statement.executeQuery()) {
            return Schema.onlyLong(rows);
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
