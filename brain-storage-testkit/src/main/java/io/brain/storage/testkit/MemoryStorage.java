package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The reference adapter: the whole contract, in memory. Small and strict rather than fast: it keeps
 * every version ever written, and knows where each open snapshot and cursor was opened.
 *
 * <p>It has no thread of its own. Commits run on the executor handed in, so that a simulation
 * decides when they land; by default they run in the call itself.
 *
 * <p>The content outlives the storage: {@link #openAgain} is the next process on the same disk, or
 * another process beside this one.
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
     *     #close} waits until it has, so a thread that runs them itself closes afterwards.
     * @param traits which engine to stand for; {@link #snapshotAt} is refused without its trait
     */
    public MemoryStorage(Executor commits, Set<StorageTrait> traits) {
        this(new MemoryContent(), commits, traits);
    }

    private MemoryStorage(MemoryContent content, Executor commits, Set<StorageTrait> traits) {
        this.content = content;
        this.commits = commits;
        this.traits = Set.copyOf(traits);
    }

    /** Another storage on the same content: after this one has ended, or beside it. */
    public MemoryStorage openAgain(Executor commits) {
        return new MemoryStorage(content, commits, traits);
    }

    /**
     * Ends as a killed process does: every later call is refused, batches that were not executed
     * yet never land and are never answered, and nobody waits for readers.
     *
     * @param losesUnsynced true: the machine goes down too, and everything after the last synced
     *     batch is lost. Only if no other storage is open on this content.
     */
    public void crash(boolean losesUnsynced) {
        use.crash();
        if (losesUnsynced) {
            content.loseUnsynced();
        }
    }

    /**
     * The leak check at the end of a test.
     *
     * @throws IllegalStateException if a snapshot or cursor is open; says where it was opened
     */
    public void checkNoOpenSnapshots() {
        use.checkNothingOpen();
    }

    @Override
    public Snapshot snapshot() {
        MemoryUse.Lease lease = use.lease("snapshot");
        return new MemorySnapshot(content, content.timestamp(), use, lease);
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        if (!traits.contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)) {
            throw new UnsupportedOperationException("snapshots at a timestamp");
        }
        if (timestamp > content.timestamp()) {
            throw new IllegalArgumentException("a timestamp of the future: " + timestamp);
        }
        return new MemorySnapshot(content, timestamp, use, use.lease("snapshot"));
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
                new StorageException(Kind.UNAVAILABLE, "the batch did not land"));
    }
}
