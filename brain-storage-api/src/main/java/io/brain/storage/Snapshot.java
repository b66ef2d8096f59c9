package io.brain.storage;

import java.util.List;

/**
 * The state of the store at one point in time, without later commits. Thread-safe, cheap,
 * short-lived; must be closed, after its cursors. An open snapshot delays {@link KvStorage#close}.
 *
 * <p>Reads can throw {@link StorageException}; once the storage is closing they throw kind CLOSED.
 */
public interface Snapshot extends AutoCloseable {
    /** The value of {@code key}; null if it is absent. */
    Bytes get(Bytes key);

    /**
     * The values of {@code keys}, in their order; null where absent. One round trip if possible.
     */
    List<Bytes> get(List<Bytes> keys);

    /** Opens a cursor over {@code range} in the given direction. */
    Cursor cursor(KeyRange range, Cursor.Direction direction);

    /** Releases the snapshot. Never throws; idempotent. */
    @Override
    void close();
}
