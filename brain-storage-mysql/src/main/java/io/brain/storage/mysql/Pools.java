package io.brain.storage.mysql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Connections to the database: those that read, each one snapshot, those that commit, and those
 * that read the clock, which must not wait for snapshots to be closed.
 */
final class Pools implements AutoCloseable {
    private static final long KEEP_ALIVE_MILLIS = 30_000;
    private static final int CLOCKS = 2;
    private static final String REPEATABLE = "TRANSACTION_REPEATABLE_READ";
    private static final String COMMITTED = "TRANSACTION_READ_COMMITTED";

    private final HikariDataSource readers;
    private final HikariDataSource writers;
    private final HikariDataSource clocks;

    /** Opens connections when they are needed; these statements begin their sessions. */
    Pools(Dialect dialect, SqlSettings settings, String readStart, String writeStart) {
        HikariConfig reading = config(dialect, settings, readStart);
        reading.setReadOnly(true);
        HikariConfig writing = config(dialect, settings, writeStart);
        List<HikariDataSource> opened = new ArrayList<>();
        try {
            readers = pool(reading, "brain-read", REPEATABLE, settings.readers(), opened);
            clocks = pool(reading, "brain-clock", COMMITTED, CLOCKS, opened);
            writers = pool(writing, "brain-write", COMMITTED, settings.writers(), opened);
        } catch (RuntimeException | Error e) {
            opened.forEach(HikariDataSource::close);
            throw e;
        }
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

    private static HikariConfig config(Dialect dialect, SqlSettings settings, String sessionStart) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.url());
        config.setDataSourceProperties(properties(dialect, settings));
        config.setAutoCommit(false);
        config.setConnectionInitSql(sessionStart);
        // Commits the statement above: PostgreSQL undoes SET when a transaction is rolled back.
        config.setIsolateInternalQueries(true);
        config.setConnectionTimeout(settings.limit().toMillis());
        config.setKeepaliveTime(KEEP_ALIVE_MILLIS);
        config.setInitializationFailTimeout(-1);
        return config;
    }

    private static HikariDataSource pool(
            HikariConfig common,
            String name,
            String isolation,
            int size,
            List<HikariDataSource> opened) {
        HikariConfig config = new HikariConfig();
        common.copyStateTo(config);
        config.setPoolName(name);
        config.setTransactionIsolation(isolation);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(Math.min(4, size));
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        return pool;
    }

    /** A connection whose transaction sees one state from its first statement on. */
    Connection reader() throws SQLException {
        return readers.getConnection();
    }

    /** A connection whose statements see the newest state. */
    Connection writer() throws SQLException {
        return writers.getConnection();
    }

    /** A connection whose first statement sees the newest state. */
    Connection clock() throws SQLException {
        return clocks.getConnection();
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
        clocks.close();
    }
}
