package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** MySQL 8 and MariaDB 10.6, or newer, with InnoDB. */
final class MysqlDialect implements Dialect {
    /** An idle session lasts this long; the pool uses each one every 30 s. */
    private static final long SESSION_IDLE_SECONDS = 40;

    /** Brings the largest value that a server accepts by default. */
    private static final long PACKET_MIN = 4 << 20;

    private static final String ALL_ROWS = "sql_select_limit = 18446744073709551615";

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:mariadb:", "jdbc:mysql:");
    }

    /**
     * With several addresses, or a mode before the slashes, the driver may read from replicas.
     * After a failure it may repeat a transaction, whose guards were compared in another one.
     */
    @Override
    public String urlFlaw(String rest) {
        if (!rest.matches("//[^,?]+(\\?.*)?")) {
            return "must name one server, after jdbc:mariadb://, as others may be replicas, which"
                    + " lag behind";
        }
        return rest.matches(".*[?&]transactionreplay([=&].*)?")
                ? "must not have transactionReplay: it repeats a commit that may be outdated"
                : null;
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

    @Override
    public String sessionStart(
            Connection connection, boolean repeatable, Duration limit, Duration idle)
            throws SQLException {
        return sessionStart(variables(connection), repeatable, limit, idle);
    }

    /**
     * Begins a session on a server with these variables, by name. MySQL has no limit for
     * transactions, only one for sessions, which the pool keeps alive. A limit of rows that an
     * operator sets for everyone would hide keys.
     */
    static String sessionStart(
            Map<String, String> variables, boolean repeatable, Duration limit, Duration idle) {
        long seconds = Math.max(1, limit.toSeconds());
        long idleSeconds = Math.max(1, idle.toSeconds());
        String start =
                ("SET SESSION %s = '%s', innodb_lock_wait_timeout = %d, wait_timeout = %d, "
                                + ALL_ROWS
                                + ", ")
                        .formatted(
                                variables.containsKey("transaction_isolation")
                                        ? "transaction_isolation"
                                        : "tx_isolation", // of MariaDB before 11.1
                                repeatable ? "REPEATABLE-READ" : "READ-COMMITTED",
                                seconds,
                                Math.max(SESSION_IDLE_SECONDS, idleSeconds));
        return variables.get("version").contains("MariaDB")
                ? start
                        + "max_statement_time = %d, idle_transaction_timeout = %d"
                                .formatted(seconds, idleSeconds)
                : start
                        + "max_execution_time = %d, lock_wait_timeout = %d"
                                .formatted(limit.toMillis(), seconds);
    }

    @Override
    public void requireSafe(Connection connection) throws SQLException {
        requireSafe(variables(connection));
    }

    /** Checks a server's variables, by name. */
    static void requireSafe(Map<String, String> variables) {
        String replica = "the database's server is a replica";
        require(replica, variables, "read_only", "OFF");
        require(replica, variables, "innodb_read_only", "OFF");
        String loses = "the database may lose acknowledged commits";
        require(loses, variables, "innodb_flush_log_at_trx_commit", "1");
        if ("ON".equals(variables.get("log_bin"))) {
            // InnoDB's recovery drops what the binary log has lost.
            require(loses, variables, "sync_binlog", "1");
            if ("STATEMENT".equals(variables.get("binlog_format"))) {
                throw refused("the database takes no writes", variables, "binlog_format", "MIXED");
            }
        }
        boolean galera = "ON".equals(variables.get("wsrep_on"));
        if (galera && Integer.parseInt(variables.get("wsrep_sync_wait")) % 2 == 0) {
            throw refused("reads may miss commits", variables, "wsrep_sync_wait", "1");
        }
    }

    private static void require(
            String why, Map<String, String> variables, String name, String value) {
        if (!value.equals(variables.get(name))) {
            throw refused(why, variables, name, value);
        }
    }

    private static StorageException refused(
            String why, Map<String, String> variables, String name, String value) {
        return new StorageException(
                Kind.REFUSED,
                "%s: %s is %s, must be %s".formatted(why, name, variables.get(name), value));
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
                            + " (id, format, now) SELECT 1, "
                            + Schema.FORMAT
                            + ", 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM "
                            + kv
                            + ")");
        }
    }

    @Override
    public List<String> kvTable() {
        return List.of("k VARBINARY(3072)", "v LONGBLOB(2147483647)", "PRIMARY KEY k");
    }

    /** Settings are not checked: a tick cannot answer with them, and proxies restore them. */
    @Override
    public long now(Connection connection, String clock) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT now FROM " + clock + " WHERE id = 1");
                ResultSet rows = statement.executeQuery()) {
            return Schema.onlyLong(rows);
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
        long packet = Long.parseLong(variables(connection).get("max_allowed_packet"));
        if (packet < PACKET_MIN) {
            throw new StorageException(
                    Kind.REFUSED,
                    "the database's max_allowed_packet is %d, must be at least %d"
                            .formatted(packet, PACKET_MIN));
        }
        return packet / 2 - (64 << 10);
    }

    /** The server's variables, for this session; a limit of rows would hide them. */
    private static Map<String, String> variables(Connection connection) throws SQLException {
        Map<String, String> variables = new HashMap<>();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION " + ALL_ROWS);
            try (ResultSet rows = statement.executeQuery("SHOW VARIABLES")) {
                while (rows.next()) {
                    variables.put(rows.getString(1), rows.getString(2));
                }
            }
        }
        return variables;
    }
}
