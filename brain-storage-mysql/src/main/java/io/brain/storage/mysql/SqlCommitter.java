package io.brain.storage.mysql;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One batch is one transaction. It moves the clock first, and so holds the lock of the clock's row
 * until it ends: commits of all processes take turns, guards are compared with the newest state,
 * and who has the lock knows that no earlier commit is unfinished. Thread-safe.
 */
final class SqlCommitter {
    private static final Logger log = LoggerFactory.getLogger(SqlCommitter.class);

    private final Writers writers;
    private final DatabaseClock clock;
    private final KvTable table;

    /** Connections that commit. */
    @FunctionalInterface
    interface Writers {
        /** A session whose statements see the newest state; closed by the caller. */
        Session open() throws SQLException;
    }

    SqlCommitter(Writers writers, DatabaseClock clock, KvTable table) {
        this.writers = writers;
        this.clock = clock;
        this.table = table;
    }

    /** What is thrown may have happened after COMMIT was sent. */
    CommitResult commit(WriteBatch batch) {
        boolean sent = false;
        try (Session session = writers.open()) {
            long timestamp = clock.tick(session);
            Optional<CommitResult.Conflict> conflict = session.run(c -> write(c, batch));
            if (conflict.isPresent()) {
                return conflict.get();
            }
            sent = true;
            clock.commit(session, timestamp);
            return new CommitResult.Committed(timestamp);
        } catch (SQLException | RuntimeException | Error e) { // also no memory, in the driver
            if (sent) {
                log.warn("no answer to COMMIT, the outcome is uncertain: {}", e.getMessage());
                return new CommitResult.Uncertain(SqlErrors.of("no answer to COMMIT", e));
            }
            return new CommitResult.Unavailable(SqlErrors.of("cannot write", e));
        }
    }

    /** Writes the batch, unless one of its guards does not hold: the first such. */
    private Optional<CommitResult.Conflict> write(Connection connection, WriteBatch batch)
            throws SQLException {
        Optional<CommitResult.Conflict> conflict = conflict(connection, batch);
        if (conflict.isEmpty()) {
            table.write(connection, batch.mutations());
        }
        return conflict;
    }

    private Optional<CommitResult.Conflict> conflict(Connection connection, WriteBatch batch)
            throws SQLException {
        List<Mutation> guarded = batch.mutations().stream().filter(Mutation::isGuarded).toList();
        Map<Bytes, Bytes> actual =
                table.read(connection, guarded.stream().map(Mutation::key).toList());
        for (Mutation mutation : guarded) {
            Bytes stored = actual.get(mutation.key());
            if (!mutation.holds(stored)) {
                return Optional.of(
                        new CommitResult.Conflict(mutation.key(), Optional.ofNullable(stored)));
            }
        }
        return Optional.empty();
    }

    /**
     * Waits until a transaction that may still commit has ended, and looks. One that had not taken
     * the lock when its connection broke never sent COMMIT. What was seen is durable only after a
     * commit of this transaction: InnoDB releases locks before it syncs its log.
     */
    CommitResult resolve(WriteBatch batch) {
        Bytes key = batch.primary().key();
        try (Session session = writers.open()) {
            long now = clock.tick(session);
            Bytes stored = session.run(c -> table.read(c, List.of(key))).get(key);
            clock.commit(session, now);
            return batch.resolvingValue().equals(stored)
                    ? new CommitResult.Committed(now)
                    : new CommitResult.Unavailable(
                            new StorageException(
                                    StorageException.Kind.UNAVAILABLE, "was not committed"));
        } catch (SQLException e) {
            return new CommitResult.Uncertain(SqlErrors.of("cannot resolve", e));
        }
    }

    /** Waits until every transaction that holds the lock has ended, and is durable. */
    void fenceOff() {
        try (Session session = writers.open()) {
            clock.commit(session, clock.tick(session));
        } catch (SQLException e) {
            throw SqlErrors.of("cannot wait for commits in flight", e);
        }
    }
}
