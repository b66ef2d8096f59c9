package io.brain.storage;

/**
 * An iterator over the key-value pairs of one {@link Snapshot} within one {@link KeyRange},
 * ascending or descending. Starts before the first pair. Not thread-safe; must be closed, before
 * its snapshot.
 *
 * <pre>{@code
 * try (Cursor cursor = snapshot.cursor(range, Direction.FORWARD)) {
 *     while (cursor.next()) { use(cursor.key(), cursor.value()); }
 * }
 * }</pre>
 *
 * <p>Every method that moves can throw {@link StorageException}; after that only {@link #close} is
 * allowed.
 */
public interface Cursor extends AutoCloseable {
    /** Order of iteration. */
    enum Direction {
        /** Ascending. */
        FORWARD,
        /** Descending. */
        REVERSE
    }

    /** Moves to the next pair; false at the end, which only {@link #seek} leaves. */
    boolean next();

    /**
     * Moves to the first pair at or after {@code key} in iteration order, within the range: forward
     * the least key {@code >= key}, reverse the greatest key {@code <= key}. May move back. False
     * if there is none.
     */
    boolean seek(Bytes key);

    /**
     * The key of the current pair; stays valid after a move.
     *
     * @throws IllegalStateException unless the last move was true
     */
    Bytes key();

    /**
     * The value of the current pair; stays valid after a move.
     *
     * @throws IllegalStateException unless the last move was true
     */
    Bytes value();

    /** Length of {@link #value} in bytes; does not copy the value if the engine supports that. */
    default int valueLength() {
        return value().length();
    }

    /**
     * Copies the current value into an array, truncated to the space after {@code at}; avoids an
     * allocation per value in scans.
     *
     * @param at index in {@code target} of the first copied byte
     * @return length of the whole value
     * @throws IllegalStateException unless the last move was true
     */
    default int copyValue(byte[] target, int at) {
        Bytes value = value();
        int length = Math.min(target.length - at, value.length());
        System.arraycopy(value.array(), 0, target, at, length);
        return value.length();
    }

    /** Releases the cursor. Never throws; idempotent. */
    @Override
    void close();
}
