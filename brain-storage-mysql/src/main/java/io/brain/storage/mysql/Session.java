package io.brain.storage.mysql;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that a pool has lent. The pool gets it back without an open transaction, or renews
 * its connections: after a failure that is not the database's answer, or one that shows that the
 * server is not the one that commits. A lost connection the pool drops itself. Not thread-safe.
 */
final class Session implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    private final Connection connection;
    private final Runnable renewal;
    private boolean broken;

    /**
     * A session on a connection.
     *
     * @param renewal makes the pool drop its connections, this one when it is closed
     */
    Session(Connection connection, Runnable renewal) {
        this.connection = connection;
        this.renewal = renewal;
    }

    /** Statements of the transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Runs statements; the first ones begin a transaction. */
    <T> T run(Work<T> work) throws SQLException {
        try {
            return work.run(connection);
        } catch (SQLException e) {
            broken |= SqlErrors.isReadOnly(e);
            throw e;
        } catch (RuntimeException | Error e) { // in the driver: answers may be mixed up
            broken = true;
            throw e;
        }
    }

    void commit() throws SQLException {
        run(
                c -> {
                    c.commit();
                    return null;
                });
    }

    /** Undoes what was not committed; never changes an outcome. Idempotent. */
    @Override
    public void close() {
        try {
            if (!broken && !connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException | Error e) {
            log.debug("cannot roll back", e);
            broken = true;
        }
        try (connection) {
            if (broken && !connection.isClosed()) {
                renewal.run();
            }
        } catch (SQLException | RuntimeException | Error e) {
            log.debug("cannot close a connection", e);
        }
    }
}
