package io.brain.backend.txn;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.TtlRules;
import io.brain.storage.Bytes;

/**
 * The pending state (everything evaluated so far, durable or not) as one proposal reads it, and the
 * changes that the proposal makes. Valid until {@link Proposal#evaluate} returns.
 *
 * <p>All key changes get one revision, {@link #revision} + 1, in the order they are made. A
 * proposal without key changes takes no revision; its metadata records still go into the next
 * batch.
 */
public interface TxnContext {
    /** The last revision before this proposal. */
    long revision();

    /** The revision for a response header: {@link #revision}, +1 after the first key change. */
    long headerRevision();

    /** Monotonic time in nanoseconds. */
    long nanos();

    /** The current rules of expiry. */
    TtlRules ttlRules();

    /** The head of a key, own changes included; never null. */
    HeadRecord get(Bytes key);

    /** As {@link #get}, but null if the head is not in memory. */
    HeadRecord getCached(Bytes key);

    /** The head of a key without own changes; never null. */
    HeadRecord getBefore(Bytes key);

    /** The existing keys of a span, own changes made so far included. */
    Scan scan(KeySpan span);

    /** The existing keys of a span without own changes. */
    Scan scanBefore(KeySpan span);

    /** Stores a value, as etcd's put. Attaches the key to {@code lease} (0: to none). */
    HeadRecord put(Bytes key, Bytes value, long lease);

    /**
     * Deletes an existing key if the revision may have one more change; false if it is full. The
     * first change of a revision always fits.
     */
    boolean deleteIfFits(Bytes key, HeadRecord head);

    /** Deletes an existing key and detaches it from its lease. */
    default void delete(Bytes key) {
        delete(key, get(key));
    }

    /** As {@link #delete(Bytes)}, without reading the head again. */
    void delete(Bytes key, HeadRecord head);

    /**
     * Deletes the keys attached to a lease in key order, as many as fit one revision; false if some
     * remain.
     */
    boolean deleteAttached(long lease);

    /** The least key at or above another one that is attached to a lease; null if there is none. */
    Bytes attachedKey(long lease, Bytes from);

    /** A metadata record (lease, alarm, compaction, ...) by its internal key; null if absent. */
    Bytes record(Bytes internalKey);

    /** Stores a metadata record. */
    void putRecord(Bytes internalKey, Bytes value);

    /** Removes a metadata record; it may be absent. */
    void deleteRecord(Bytes internalKey);

    /**
     * Writes the existing head of a key, which the proposal does not change, to the history before
     * a delete replaces it. Changes nothing that can be read, not even the stored bytes.
     */
    void writeEarly(EarlyHistory.Version version);

    /** Tells which versions need not be written when the proposal replaces them. */
    void useEarly(EarlyHistory early);

    /**
     * Checks the size of the changes after one of a delete of a span.
     *
     * @throws WideDeleteException if {@link #useEarly} should be called first
     */
    void checkWidth(KeySpan span);

    /** Removes the head of a key that is a tombstone, and subtracts its stored bytes. */
    void dropTombstone(Bytes key);

    /** Adds to the number of stored bytes; negative for bytes that compaction removed. */
    void addBytes(long delta);

    /** Runs an action after publication, before the answer. */
    void onPublished(Runnable action);

    /** Undoes an effect outside of the context if the evaluation or its batch fails. */
    void onFailed(Runnable undo);

    /** An iteration over existing keys in key order; must be closed. */
    interface Scan extends AutoCloseable {
        /**
         * Moves to the next key; false at the end.
         *
         * @throws io.brain.backend.model.BackendException REQUEST_TOO_LARGE after the maximum
         *     number of keys
         */
        boolean next();

        /** The current key. */
        Bytes key();

        /** Its head. */
        HeadRecord head();

        @Override
        void close();
    }
}
