package io.brain.storage.mysql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.brain.storage.StorageException;
import java.sql.Connection;
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

    /**
     * Time that a reader's transaction may be without a statement. An export reads, then sorts and
     * writes for many minutes, and reads on in the same snapshot. It holds no locks meanwhile.
     */
    private static final Duration READ_IDLE = Duration.ofHours(1);

    private final HikariDataSource readers;
    private final HikariDataSource writers;
    private final HikariDataSource clocks;

    /** The statements that begin sessions of readers and of writers. */
    record Starts(String reader, String writer) {
        static Starts of(Connection connection, Dialect dialect, Duration limit)
                throws SQLException {
            return new Starts(
                    dialect.sessionStart(connection, true, limit, READ_IDLE),
                    dialect.sessionStart(connection, false, limit, limit));
        }
    }

    /** Opens connections when they are needed. */
    Pools(Dialect dialect, SqlSettings settings, Starts starts) {
        HikariConfig common = config(dialect, settings);
        List<HikariDataSource> opened = new ArrayList<>();
        try {
            writers = pool(common, "brain-write", starts.writer(), settings.writers(), opened);
            common.setReadOnly(true);
            readers = pool(common, "brain-read", starts.reader(), settings.readers(), opened);
            clocks = pool(common, "brain-clock", starts.reader(), CLOCKS, opened);
        } catch (RuntimeException | Error e) {
            opened.forEach(HikariDataSource::close);
            throw e;
        }
    }

    /**
     * A connection outside the pools, without a limit of the database's; closed by the caller.
     *
     * @throws StorageException kind REFUSED if the server is not safe
     */
    static Connection connect(Dialect dialect, SqlSettings settings) throws SQLException {
        Connection connection = source(dialect, settings).getConnection();
        connection.setAutoCommit(false);
        // Servers that create tables one after the other see those of the others.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return connection;
    }

    private static CheckedDataSource source(Dialect dialect, SqlSettings settings) {
        return new CheckedDataSource(dialect, settings.url(), properties(dialect, settings));
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
        // The drivers limit connecting and reading only.
        properties.setProperty("socketFactory", WriteLimitSockets.class.getName());
        return properties;
    }

    private static HikariConfig config(Dialect dialect, SqlSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source(dialect, settings));
        config.setAutoCommit(false);
        // Commits the statement that begins a session: PostgreSQL undoes SET when a transaction is
        // rolled back.
        config.setIsolateInternalQueries(true);
        config.setConnectionTimeout(settings.limit().toMillis());
        config.setKeepaliveTime(KEEP_ALIVE_MILLIS);
        config.setInitializationFailTimeout(-1);
        return config;
    }

    private static HikariDataSource pool(
            HikariConfig common,
            String name,
            String sessionStart,
            int size,
            List<HikariDataSource> opened) {
        HikariConfig config = new HikariConfig();
        common.copyStateTo(config);
        config.setPoolName(name);
        config.setConnectionInitSql(sessionStart);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(Math.min(4, size));
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        return pool;
    }

    /** A session whose transaction sees one state from its first statement on. */
    Session reader() throws SQLException {
        return session(readers);
    }

    /** A session whose statements see the newest state. */
    Session writer() throws SQLException {
        return session(writers);
    }

    /** A session whose first statement sees the newest state. */
    Session clock() throws SQLException {
        return session(clocks);
    }

    private static Session session(HikariDataSource pool) throws SQLException {
        return new Session(pool.getConnection(), pool.getHikariPoolMXBean()::softEvictConnections);
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
