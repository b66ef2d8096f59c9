package io.brain.storage;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Ordered byte keys: snapshot reads and one atomic, conditional commit. Thread-safe.
 *
 * <p>Deliberately absent: revisions, leases, watches, TTL, retries. The backend owns those, so that
 * an adapter stays small.
 *
 * <p><b>Order.</b> Keys are ordered as unsigned bytes. Commits have one order, that of their
 * timestamps. A snapshot opened after a commit was answered sees it.
 *
 * <p><b>Commit.</b> {@link #commit} never blocks for I/O and never throws for an engine's failure:
 * every end is a {@link CommitResult}. At most one batch with the same primary key is in flight at
 * a time (the caller's duty). Batches in flight at once that share no key may commit in any order.
 */
public interface KvStorage extends AutoCloseable {
    /** The newest committed state. */
    Snapshot snapshot();

    /**
     * The state as of a timestamp that a commit was answered with, or that {@link #timestamp} gave.
     *
     * @throws UnsupportedOperationException without {@link StorageTrait#SNAPSHOT_AT_TIMESTAMP}
     */
    default Snapshot snapshotAt(long timestamp) {
        throw new UnsupportedOperationException("snapshots at a timestamp");
    }

    /**
     * Makes the batch durable (see {@link WriteBatch#synced}) and visible, or refuses it. The stage
     * ends exactly once, normally, on a thread of the adapter: work hung on it must be short.
     */
    CompletionStage<CommitResult> commit(WriteBatch batch);

    /**
     * As {@link #commit}, for a caller that has nothing better to do than to wait: may block it for
     * as long as a write and its sync take, and then answer with a stage that has ended. An engine
     * that would need longer (it has other batches to commit first, or to be reopened), or that
     * gains nothing, does as commit does, as this default.
     */
    default CompletionStage<CommitResult> commitInPlace(WriteBatch batch) {
        return commit(batch);
    }

    /**
     * Finds out how a commit that ended {@link CommitResult.Uncertain} really ended, and makes that
     * final: {@link CommitResult.Committed} if it landed, {@link CommitResult.Unavailable} if it
     * did not and never will, Uncertain if that cannot be told yet (ask again). May make the engine
     * unavailable for a while (an embedded one reopens). Only for batches with a {@linkplain
     * WriteBatch primary} that can be resolved; only the batch's owner may ask. A closed storage
     * answers Uncertain (kind CLOSED).
     *
     * @throws IllegalArgumentException for a batch that cannot be resolved
     */
    CompletionStage<CommitResult> resolve(WriteBatch batch);

    /**
     * Ends whatever batch with this primary another process has on its way: it lands, or it never
     * will, before the stage ends. For a candidate that may take over from a batch's owner, and
     * must not wait for what the owner began. Where one process at a time has the store open there
     * is nothing to end.
     *
     * @return ends exceptionally with a {@link StorageException} if that cannot be done now
     */
    default CompletionStage<Void> fenceOff(Bytes primary) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * The engine's logical clock: not less than the timestamp of any commit answered before the
     * call, and less than that of any commit started after it returned.
     *
     * @throws StorageException kind UNAVAILABLE if the clock cannot be read
     */
    long timestamp();

    /** Bytes that a key may have; a batch with a longer one is refused (kind TOO_LARGE). */
    default int keyBytesMax() {
        return Integer.MAX_VALUE;
    }

    /** Bytes that a batch should not exceed; one mutation alone may. */
    long batchBytesMax();

    /**
     * Present figures of the engine for an operator (its files, its memory, its work in arrears),
     * by a name of small letters and underscores; empty while there are none. Cheap, and never
     * throws.
     */
    default Map<String, Long> stats() {
        return Map.of();
    }

    /**
     * A hint that the room of what was deleted is wanted back soon. Returns at once, changes no
     * data, never throws, and never delays commits; what there is to do is done behind them, and is
     * broken off by {@link #close}. Hints that come meanwhile are one hint. An engine that needs
     * none does nothing.
     */
    default void reclaim() {}

    /** What this engine can do beyond the common contract. */
    Set<StorageTrait> traits();

    /**
     * Ends: refuses new reads and commits (kind CLOSED), waits for commits in flight and for open
     * snapshots and cursors, then frees the engine. The second call does nothing.
     */
    @Override
    void close();
}
