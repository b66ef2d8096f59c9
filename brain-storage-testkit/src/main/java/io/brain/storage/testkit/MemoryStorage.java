package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The reference adapter: the whole contract, in memory. Small and strict rather than fast: it keeps
 * every version and records the stack trace of each open snapshot and cursor.
 *
 * <p>It has no thread. Commits run on the given executor, so that a simulation controls them; by
 * default they run in the call.
 *
 * <p>The content outlives the storage: {@link #openAgain} simulates the next process on the same
 * disk, or a concurrent one.
 */
public final class MemoryStorage implements KvStorage {
    private static final int BATCH_BYTES_MAX = 4 << 20;

    private final MemoryContent content;
    private final Executor commits;
    private final Set<StorageTrait> traits;
    private final MemoryUse use = new MemoryUse();

    /** An empty store that commits in the calling thread and can open old timestamps. */
    public MemoryStorage() {
        this(Runnable::run, Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    }

    /**
     * An empty store.
     *
     * @param commits runs each commit and resolution; must run every task, in any order. {@link
     *     #close} waits for them.
     * @param traits traits of the simulated engine; {@link #snapshotAt} requires its trait
     */
    public MemoryStorage(Executor commits, Set<StorageTrait> traits) {
        this(new MemoryContent(), commits, traits);
    }

    private MemoryStorage(MemoryContent content, Executor commits, Set<StorageTrait> traits) {
        this.content = content;
        this.commits = commits;
        this.traits = Set.copyOf(traits);
    }

    /** Opens another storage on the same content, after this one has ended or concurrently. */
    public MemoryStorage openAgain(Executor commits) {
        return new MemoryStorage(content, commits, traits);
    }

    /**
     * Simulates a killed process: later calls are refused, batches not executed yet are never
     * committed and never complete, and open readers are ignored.
     */
    public void crash() {
        use.crash();
    }

    /**
     * Leak check at the end of a test.
     *
     * @throws IllegalStateException if a snapshot or cursor is open, with its stack trace
     */
    public void checkNoOpenSnapshots() {
        use.checkNothingOpen();
    }

    @Override
    public Snapshot snapshot() {
        MemoryUse.Lease lease = use.lease("snapshot");
        return new MemorySnapshot(content.timestamp(), lease);
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        if (!traits.contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)) {
            throw new UnsupportedOperationException("snapshots at a timestamp");
        }
        if (timestamp > content.timestamp()) {
            throw new IllegalArgumentException("timestamp in the future: " + timestamp);
        }
        return new MemorySnapshot(timestamp, use.lease("snapshot"));
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        return execute(() -> content.apply(batch), CommitResult.Unavailable::new);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        Bytes key = batch.primary().key();
        Bytes value = batch.resolvingValue();
        return execute(() -> resolved(content.storedAt(key, value)), CommitResult.Uncertain::new);
    }

    @Override
    public long timestamp() {
        use.checkOpen();
        return content.timestamp();
    }

    @Override
    public long batchBytesMax() {
        return BATCH_BYTES_MAX;
    }

    @Override
    public Set<StorageTrait> traits() {
        return traits;
    }

    @Override
    public void close() {
        use.close();
    }

    private CompletionStage<CommitResult> execute(
            Supplier<CommitResult> work, Function<StorageException, CommitResult> refusal) {
        try {
            use.beginCommit();
        } catch (StorageException closed) {
            return CompletableFuture.completedFuture(refusal.apply(closed));
        }
        CompletableFuture<CommitResult> result = new CompletableFuture<>();
        commits.execute(
                () -> {
                    if (!use.isCrashed()) {
                        result.complete(work.get());
                        use.endCommit();
                    }
                });
        return result;
    }

    private static CommitResult resolved(Optional<Long> storedAt) {
        if (storedAt.isPresent()) {
            return new CommitResult.Committed(storedAt.get());
        }
        return new CommitResult.Unavailable(
                new StorageException(Kind.UNAVAILABLE, "batch was not committed"));
    }

    /** The content as of one timestamp. */
    private final class MemorySnapshot implements Snapshot {
        private final long timestamp;
        private final MemoryUse.Lease lease;

        MemorySnapshot(long timestamp, MemoryUse.Lease lease) {
            this.timestamp = timestamp;
            this.lease = lease;
        }

        @Override
        public Bytes get(Bytes key) {
            lease.check();
            return content.get(key, timestamp);
        }

        @Override
        public List<Bytes> get(List<Bytes> keys) {
            lease.check();
            List<Bytes> values = new ArrayList<>(keys.size());
            keys.forEach(key -> values.add(content.get(key, timestamp)));
            return values;
        }

        @Override
        public Cursor cursor(KeyRange range, Cursor.Direction direction) {
            lease.check();
            return new MemoryCursor(content, timestamp, range, direction, use.lease("cursor"));
        }

        @Override
        public void close() {
            lease.end();
        }
    }
}
