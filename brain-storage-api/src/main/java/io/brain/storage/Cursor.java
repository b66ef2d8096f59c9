package io.brain.storage;

/**
 * A walk over the key-value pairs of one {@link Snapshot} within one {@link KeyRange}, ascending or
 * descending. Starts before the first pair of its direction. Used by one thread at a time; must be
 * closed, and before its snapshot.
 *
 * <pre>{@code
 * try (Cursor cursor = snapshot.cursor(range, Direction.FORWARD)) {
 *     while (cursor.next()) { use(cursor.key(), cursor.value()); }
 * }
 * }</pre>
 *
 * <p>Every method that moves can throw {@link StorageException}; after that only close is allowed.
 */
public interface Cursor extends AutoCloseable {
    /** The order in which a cursor meets keys. */
    enum Direction {
        /** Ascending. */
        FORWARD,
        /** Descending. */
        REVERSE
    }

    /**
     * Steps to the next pair of the direction; false (for good, unless {@link #seek}) if there is
     * none.
     */
    boolean next();

    /**
     * Goes to the first pair of the direction that is at {@code key} or behind it: forward the
     * least key {@code >= key}, reverse the greatest key {@code <= key}; within the range always.
     * May go back. False if there is none.
     */
    boolean seek(Bytes key);

    /**
     * The key of the current pair; a value of its own, valid for ever.
     *
     * @throws IllegalStateException unless the last move was true
     */
    Bytes key();

    /**
     * The value of the current pair; a value of its own, valid for ever.
     *
     * @throws IllegalStateException unless the last move was true
     */
    Bytes value();

    /** Bytes in {@link #value}, without fetching it where the engine can tell. */
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

    /** Releases the walk. Never throws; the second call does nothing. */
    @Override
    void close();
}
