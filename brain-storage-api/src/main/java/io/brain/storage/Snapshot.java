package io.brain.storage;

import java.util.List;

/**
 * The store as it was at one moment: later commits are not seen. Thread-safe, cheap, short-lived;
 * must be closed, after its cursors. An open snapshot delays {@link KvStorage#close}.
 *
 * <p>Reads can throw {@link StorageException}; after the storage began to close they throw kind
 * CLOSED.
 */
public interface Snapshot extends AutoCloseable {
    /** The value of {@code key}; null if it is absent. */
    Bytes get(Bytes key);

    /**
     * The values of {@code keys}, in their order; null where absent. One round trip where it can
     * be.
     */
    List<Bytes> get(List<Bytes> keys);

    /** A walk over the pairs of {@code range} in the given direction. */
    Cursor cursor(KeyRange range, Cursor.Direction direction);

    /** Releases the snapshot. Never throws; the second call does nothing. */
    @Override
    void close();
}
