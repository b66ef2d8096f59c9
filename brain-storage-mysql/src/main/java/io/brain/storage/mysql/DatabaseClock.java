package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock in the database. A commit moves it in its own transaction, and holds the lock of its
 * row until that ends: who sees a commit sees its time, and times follow the order of commits. So a
 * server whose clock is behind a commit that was acknowledged before is not the one that commits,
 * as after a switchover, or has lost commits. Thread-safe.
 */
final class DatabaseClock {
    private final Dialect dialect;
    private final String table;

    /**
     * Time of the newest commit that this process knows to be durable. What was only read does not
     * count: InnoDB shows commits before they are, and a crash takes these back.
     */
    private final AtomicLong durable = new AtomicLong();

    DatabaseClock(Dialect dialect, String table) {
        this.dialect = dialect;
        this.table = table;
    }

    /**
     * Reads the time; after that the transaction of a reader sees all commits up to it.
     *
     * @throws StorageException kind UNAVAILABLE if the server is behind
     */
    long now(Session session) throws SQLException {
        long known = durable.get();
        return session.run(c -> notBefore(known, dialect.now(c, table)));
    }

    /**
     * Moves the clock, and locks it until the transaction ends.
     *
     * @return the new time
     * @throws StorageException kind UNAVAILABLE if the server is behind
     */
    long tick(Session session) throws SQLException {
        long known = durable.get();
        return session.run(c -> notBefore(known + 1, dialect.tick(c, table)));
    }

    /** Commits the transaction that has moved the clock to this time. */
    void commit(Session session, long time) throws SQLException {
        session.commit();
        durable.accumulateAndGet(time, Math::max);
    }

    private static long notBefore(long expected, long time) {
        if (time < expected) {
            throw new StorageException(
                    Kind.UNAVAILABLE,
                    "this server of the database is behind, or has lost commits: its clock is at %d, must be at least %d"
                            .formatted(time, expected));
        }
        return time;
    }
}
