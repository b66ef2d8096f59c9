package io.brain.storage;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store of ordered byte keys with snapshot reads and an atomic, conditional commit. Thread-safe.
 *
 * <p>Deliberately absent: revisions, leases, watches, TTL, retries. The backend implements those,
 * so that adapters stay small.
 *
 * <p><b>Order.</b> Keys are ordered as unsigned bytes. Commits are totally ordered by their
 * timestamps. A snapshot opened after a commit completed sees it.
 *
 * <p><b>Commit.</b> {@link #commit} never blocks for I/O and never throws for an engine failure:
 * every outcome is a {@link CommitResult}. The caller ensures that at most one batch per primary
 * key is in flight. Concurrent batches without common keys may commit in any order.
 */
public interface KvStorage extends AutoCloseable {
    /** The newest committed state. */
    Snapshot snapshot();

    /**
     * The state at a timestamp returned by a commit or {@link #timestamp}.
     *
     * @throws UnsupportedOperationException without {@link StorageTrait#SNAPSHOT_AT_TIMESTAMP}
     */
    default Snapshot snapshotAt(long timestamp) {
        throw new UnsupportedOperationException("snapshots at a timestamp");
    }

    /**
     * Makes the batch durable and visible, or refuses it. A committed batch survives a crash of
     * process and machine. The stage completes exactly once, normally, on a thread of the adapter:
     * dependent actions must be short.
     */
    CompletionStage<CommitResult> commit(WriteBatch batch);

    /**
     * Determines the outcome of an {@link CommitResult.Uncertain} commit and makes it final: {@link
     * CommitResult.Committed} if it was committed, {@link CommitResult.Unavailable} if it was not
     * and never will be, Uncertain if still unknown (retry). May make the engine unavailable for a
     * while (an embedded one reopens). Only for batches with a {@linkplain WriteBatch primary} that
     * can be resolved; only the batch's owner may call this. A closed storage returns Uncertain
     * (kind CLOSED).
     *
     * @throws IllegalArgumentException for a batch that cannot be resolved
     */
    CompletionStage<CommitResult> resolve(WriteBatch batch);

    /**
     * Fences off batches with these primaries that another process has in flight: each is
     * committed, or never will be, before the stage completes. For a candidate that takes over from
     * the batch's owner without waiting for it. A no-op where only one process can open the store.
     *
     * @return completes exceptionally with a {@link StorageException} if that is impossible now
     */
    default CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * The engine's logical clock: not less than the timestamp of any commit completed before the
     * call, and less than that of any commit started after it returns.
     *
     * @throws StorageException kind UNAVAILABLE if the clock cannot be read
     */
    long timestamp();

    /** Maximum key length in bytes; a batch with a longer key is refused (kind TOO_LARGE). */
    default int keyBytesMax() {
        return Integer.MAX_VALUE;
    }

    /**
     * Maximum value length in bytes that the engine takes unless it is configured to take less; a
     * batch with a longer one may be refused (kind TOO_LARGE).
     */
    default int valueBytesMax() {
        return Integer.MAX_VALUE;
    }

    /** Target size of a batch in bytes; a single mutation may exceed it. */
    long batchBytesMax();

    /**
     * Current engine metrics (files, memory, backlog) by name, in lower case with underscores; may
     * be empty. Cheap; never throws.
     */
    default Map<String, Long> stats() {
        return Map.of();
    }

    /**
     * A hint to free the space of deleted data soon. Returns at once, changes no data, never throws
     * and never delays commits. The work runs in the background and is canceled by {@link #close};
     * hints during a run are merged. The default does nothing.
     */
    default void reclaim() {}

    /**
     * Makes all commits durable, and the store as good to read as one that was not filled at once.
     * May take minutes. The default, for engines that load like they serve, does nothing.
     *
     * @throws StorageException if commits may be lost
     */
    default void finishLoading() {}

    /** Capabilities beyond the common contract. */
    Set<StorageTrait> traits();

    /**
     * Refuses new reads and commits (kind CLOSED), waits for commits in flight and open snapshots
     * and cursors, then frees the engine. Idempotent.
     */
    @Override
    void close();
}
