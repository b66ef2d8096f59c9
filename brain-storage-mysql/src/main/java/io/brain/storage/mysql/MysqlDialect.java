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

/** MySQL 8 and MariaDB 10.6, or newer, with InnoDB. */
final class MysqlDialect implements Dialect {
    /** An idle session of MySQL lasts this long; the pool uses each one more often. */
    private static final long MYSQL_IDLE_SECONDS = 60;

    /** Brings the largest value that a server accepts by default. */
    private static final long PACKET_MIN = 4 << 20;

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:mariadb:", "jdbc:mysql:");
    }

    /** InnoDB's limit for rows in the dynamic format. */
    @Override
    public int keyBytesMax() {
        return 3072;
    }

    @Override
    public void limit(Properties driver, Duration connect, Duration answer) {
        driver.setProperty("connectTimeout", Long.toString(connect.toMillis()));
        driver.setProperty("socketTimeout", Long.toString(answer.toMillis()));
    }

    /** MySQL has no limit for transactions, only one for sessions, which the pool keeps alive. */
    @Override
    public String sessionStart(Connection connection, Duration limit, Duration idle)
            throws SQLException {
        long seconds = Math.max(1, limit.toSeconds());
        long idleSeconds = Math.max(1, idle.toSeconds());
        String start = "SET SESSION innodb_lock_wait_timeout = %d, ".formatted(seconds);
        return isMariaDb(connection)
                ? start
                        + "max_statement_time = %d, idle_transaction_timeout = %d"
                                .formatted(seconds, idleSeconds)
                : start
                        + "max_execution_time = %d, wait_timeout = %d"
                                .formatted(
                                        limit.toMillis(),
                                        Math.max(MYSQL_IDLE_SECONDS, idleSeconds));
    }

    private static boolean isMariaDb(Connection connection) throws SQLException {
        return one(connection, "SELECT VERSION()").contains("MariaDB");
    }

    /** With a binary log, InnoDB's recovery drops what that log has lost. */
    @Override
    public void requireDurable(Connection connection) throws SQLException {
        require(connection, "innodb_flush_log_at_trx_commit");
        if (one(connection, "SELECT @@log_bin").equals("1")) {
            require(connection, "sync_binlog");
        }
    }

    private static void require(Connection connection, String setting) throws SQLException {
        String value = one(connection, "SELECT @@" + setting);
        if (!value.equals("1")) {
            throw new StorageException(
                    Kind.REFUSED,
                    "the database may lose acknowledged commits: %s is %s, must be 1"
                            .formatted(setting, value));
        }
    }

    @Override
    public void createTables(Connection connection, String kv, String clock) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + kv
                            + " (k VARBINARY(3072) NOT NULL PRIMARY KEY, v LONGBLOB NOT NULL)"
                            + " ENGINE=InnoDB ROW_FORMAT=DYNAMIC");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS "
                            + clock
                            + " (id INT NOT NULL PRIMARY KEY, format INT NOT NULL,"
                            + " now BIGINT NOT NULL) ENGINE=InnoDB");
            statement.execute(
                    "INSERT IGNORE INTO "
                            + clock
                            + " (id, format, now) VALUES (1, "
                            + Schema.FORMAT
                            + ", 1)");
        }
    }

    /** LAST_INSERT_ID(x) puts x into the answer to the statement. */
    @Override
    public long tick(Connection connection, String clock) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "UPDATE " + clock + " SET now = LAST_INSERT_ID(now + 1) WHERE id = 1",
                        Statement.RETURN_GENERATED_KEYS)) {
            if (statement.executeUpdate() != 1) {
                throw Schema.noClock();
            }
            try (ResultSet keys = statement.getGeneratedKeys()) {
                return Schema.onlyLong(keys);
            }
        }
    }

    @Override
    public String orReplace() {
        return " ON DUPLICATE KEY UPDATE v = VALUES(v)";
    }

    /** Half a packet, because the driver escapes bytes in a statement's text. */
    @Override
    public long valueBytesMax(Connection connection) throws SQLException {
        long packet = Long.parseLong(one(connection, "SELECT @@max_allowed_packet"));
        if (packet < PACKET_MIN) {
            throw new StorageException(
                    Kind.REFUSED,
                    "the database's max_allowed_packet is %d, must be at least %d"
                            .formatted(packet, PACKET_MIN));
        }
        return packet / 2 - (64 << 10);
    }

    private static String one(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
