package io.brain.storage.mysql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** Connections to the database: those that read, each one snapshot, and those that commit. */
final class Pools implements AutoCloseable {
    private static final long KEEP_ALIVE_MILLIS = 30_000;

    private final HikariDataSource readers;
    private final HikariDataSource writers;

    Pools(Dialect dialect, SqlSettings settings, String sessionStart) {
        this.readers = pool(dialect, settings, sessionStart, true, "TRANSACTION_REPEATABLE_READ");
        this.writers = pool(dialect, settings, sessionStart, false, "TRANSACTION_READ_COMMITTED");
    }

    /** A connection outside the pools, without a limit of the database's; closed by the caller. */
    static Connection connect(Dialect dialect, SqlSettings settings) throws SQLException {
        Connection connection =
                DriverManager.getConnection(settings.url(), properties(dialect, settings));
        connection.setAutoCommit(false);
        return connection;
    }

    private static Properties properties(Dialect dialect, SqlSettings settings) {
        Properties properties = new Properties();
        if (!settings.user().isEmpty()) {
            properties.setProperty("user", settings.user());
        }
        if (!settings.password().isEmpty()) {
            properties.setProperty("password", settings.password());
        }
        // The database ends a statement first, and its connection stays usable.
        Duration answer = settings.limit().plusSeconds(2);
        dialect.limit(properties, settings.limit(), answer);
        return properties;
    }

    private static HikariDataSource pool(
            Dialect dialect,
            SqlSettings settings,
            String sessionStart,
            boolean reads,
            String isolation) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(reads ? "brain-read" : "brain-write");
        config.setJdbcUrl(settings.url());
        config.setDataSourceProperties(properties(dialect, settings));
        config.setAutoCommit(false);
        config.setReadOnly(reads);
        config.setTransactionIsolation(isolation);
        config.setConnectionInitSql(sessionStart);
        config.setMaximumPoolSize(reads ? settings.readers() : settings.writers());
        config.setMinimumIdle(Math.min(4, config.getMaximumPoolSize()));
        config.setConnectionTimeout(settings.limit().toMillis());
        config.setKeepaliveTime(KEEP_ALIVE_MILLIS);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** A connection whose transaction sees one state from its first statement on. */
    Connection reader() throws SQLException {
        return readers.getConnection();
    }

    /** A connection whose statements see the newest state. */
    Connection writer() throws SQLException {
        return writers.getConnection();
    }

    long reading() {
        return readers.getHikariPoolMXBean().getActiveConnections();
    }

    long waiting() {
        return readers.getHikariPoolMXBean().getThreadsAwaitingConnection();
    }

    @Override
    public void close() {
        writers.close();
        readers.close();
    }
}
