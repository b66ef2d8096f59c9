package io.brain.storage.mysql;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.remote.CommitThreads;
import io.brain.storage.remote.OpenHandles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shared store in a database: several processes can open it, read and commit. */
final class SqlStorage implements KvStorage {
    private static final Logger log = LoggerFactory.getLogger(SqlStorage.class);

    private static final long BATCH_BYTES_MAX = 2L << 20;

    /** Hard limit of one batch. */
    private static final long BATCH_BYTES_LIMIT = 256L << 20;

    private final Dialect dialect;
    private final long valueBytesMax;
    private final Pools pools;
    private final KvTable table;
    private final DatabaseClock clock;
    private final SqlCommitter committer;
    private final CommitThreads threads;
    private final OpenHandles handles = new OpenHandles();

    private SqlStorage(SqlSettings settings, Dialect dialect, Pools pools, long valueBytesMax) {
        this.dialect = dialect;
        this.pools = pools;
        this.valueBytesMax = valueBytesMax;
        this.table = new KvTable(settings.schema().kv(), dialect.orReplace(), valueBytesMax);
        this.clock = new DatabaseClock(dialect, settings.schema().clock());
        this.committer = new SqlCommitter(pools::writer, clock, table);
        this.threads = new CommitThreads("sql-commit-", settings.writers());
    }

    /**
     * Connects, and checks the database and its tables.
     *
     * @param create whether to create tables that are missing
     */
    static SqlStorage open(Dialect dialect, SqlSettings settings, boolean create) {
        Pools.Starts starts;
        long valueBytesMax;
        try (Connection connection = Pools.connect(dialect, settings)) {
            valueBytesMax = dialect.valueBytesMax(connection);
            settings.schema().prepare(connection, dialect, create);
            starts = Pools.Starts.of(connection, dialect, settings.limit());
            connection.rollback();
        } catch (SQLException e) {
            throw SqlErrors.atOpening(settings, e);
        }
        Pools pools = new Pools(dialect, settings, starts);
        try {
            SqlStorage storage = new SqlStorage(settings, dialect, pools, valueBytesMax);
            log.info("opened the database {}", settings);
            return storage;
        } catch (RuntimeException | Error e) {
            pools.close();
            throw e;
        }
    }

    /** The first query of the transaction fixes what it sees. */
    @Override
    public Snapshot snapshot() {
        OpenHandles.Handle handle = handles.open("snapshot");
        Session session = null;
        Snapshot opened = null;
        try {
            session = pools.reader();
            clock.now(session);
            opened = new SqlSnapshot(session, table, handles, handle);
            return opened;
        } catch (SQLException e) {
            throw SqlErrors.of("cannot read from the database", e);
        } finally {
            if (opened == null) {
                if (session != null) {
                    session.close();
                }
                handle.release();
            }
        }
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        if (batch.bytes() > BATCH_BYTES_LIMIT) {
            return tooLarge("a batch", batch.bytes(), BATCH_BYTES_LIMIT);
        }
        for (Mutation mutation : batch.mutations()) {
            if (mutation.key().length() > keyBytesMax()) {
                return tooLarge("a key", mutation.key().length(), keyBytesMax());
            }
            Bytes value = mutation.newValue();
            if (value != null && value.length() > valueBytesMax) {
                return tooLarge("a value", value.length(), valueBytesMax);
            }
        }
        return threads.call(handles, batch.bytes(), () -> commitNow(batch))
                .exceptionally(
                        refused -> new CommitResult.Unavailable(CommitThreads.failure(refused)));
    }

    private CommitResult commitNow(WriteBatch batch) {
        try {
            return committer.commit(batch);
        } catch (RuntimeException | Error e) { // no memory, perhaps after COMMIT
            return new CommitResult.Uncertain(CommitThreads.failure(e));
        }
    }

    private static CompletionStage<CommitResult> tooLarge(String what, long bytes, long limit) {
        return CompletableFuture.completedFuture(
                new CommitResult.Unavailable(
                        new StorageException(
                                Kind.TOO_LARGE,
                                "%s of %d bytes exceeds the database's limit of %d bytes"
                                        .formatted(what, bytes, limit))));
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        batch.resolvingValue();
        return threads.call(handles, 0, () -> committer.resolve(batch))
                .exceptionally(
                        refused -> new CommitResult.Uncertain(CommitThreads.failure(refused)));
    }

    @Override
    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return threads.call(
                handles,
                0,
                () -> {
                    committer.fenceOff();
                    return null;
                });
    }

    /** The clock's row, which a commit in flight has moved but not for others. */
    @Override
    public long timestamp() {
        OpenHandles.Handle handle = handles.open("clock");
        try (Session session = pools.clock()) {
            return clock.now(session);
        } catch (SQLException e) {
            throw SqlErrors.of("cannot read the clock from the database", e);
        } finally {
            handle.release();
        }
    }

    @Override
    public int keyBytesMax() {
        return dialect.keyBytesMax();
    }

    @Override
    public int valueBytesMax() {
        return (int) Math.min(Integer.MAX_VALUE, valueBytesMax);
    }

    @Override
    public long batchBytesMax() {
        return BATCH_BYTES_MAX;
    }

    @Override
    public Map<String, Long> stats() {
        return Map.of(
                "read_connections_in_use", pools.reading(),
                "reads_waiting_for_connection", pools.waiting());
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.REMOTE);
    }

    @Override
    public synchronized void close() {
        handles.close();
        if (threads.stop()) {
            pools.close();
            log.info("closed the connections to the database");
        }
    }
}
