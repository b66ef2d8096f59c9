package io.brain.backend.txn;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.List;

/**
 * One proposal's moment on the sequencer thread: the tip (everything decided so far, durable or
 * not) to read, and the proposal's own changes to write. Reads see the turn's own changes. Valid
 * until {@link Proposal#evaluate} returns.
 *
 * <p>All key changes of a turn get one revision, {@link #revision} + 1, in the order they are made.
 * A turn without key changes takes no revision; its small records still go into the next batch.
 */
public interface TxnContext {
    /** The tip's revision before this turn. */
    long revision();

    /** The revision an answer's header shows now: {@link #revision}, +1 once a key was changed. */
    long headerRevision();

    /** Monotonic time in nanoseconds. */
    long nanos();

    /** The newest record of {@code key}; never null. */
    HeadRecord get(Bytes key);

    /** The newest record of {@code key} if it is in memory; else null. Never reads the store. */
    HeadRecord known(Bytes key);

    /** The newest record of {@code key} before this turn; never null. */
    HeadRecord getBefore(Bytes key);

    /**
     * Reads the newest records of {@code keys} in one round, for {@link #get} calls that follow
     * soon; long lists should come in pieces of some hundred.
     */
    default void prefetch(List<Bytes> keys) {}

    /**
     * Existing keys of the span in key order, this turn's changes included.
     *
     * @throws io.brain.backend.model.BackendException REQUEST_TOO_LARGE beyond txn-changes-max keys
     */
    List<Bytes> keys(KeySpan span);

    /** Like {@link #keys}, before this turn. */
    List<Bytes> keysBefore(KeySpan span);

    /**
     * Deletes the keys attached to a lease, in key order, as many as one revision takes; false if
     * some are left.
     */
    boolean deleteAttached(long lease);

    /** Stores a value: a put as in etcd. Attaches the key to {@code lease} (0: to none). */
    HeadRecord put(Bytes key, Bytes value, long lease);

    /** Deletes a key that exists, and detaches it. */
    void delete(Bytes key);

    /** A small record (lease, alarm, compaction, ...) by its internal key; null if absent. */
    Bytes record(Bytes internalKey);

    /** Stores a small record. */
    void putRecord(Bytes internalKey, Bytes value);

    /** Removes a small record, which may be absent. */
    void deleteRecord(Bytes internalKey);

    /**
     * Forgets a tombstone: removes the head of a key whose newest version is a tombstone, and takes
     * it off the account of stored bytes.
     */
    void dropTombstone(Bytes key);

    /**
     * Adds to the account of stored bytes; compaction gives what it removed as a negative number.
     */
    void addBytes(long delta);

    /** Runs on the publishing thread when the turn is durable and published, before the answer. */
    void onPublished(Runnable action);

    /**
     * Undoes what the proposal did outside the turn; runs on the sequencer if the turn fails later.
     */
    void onFailed(Runnable undo);
}
