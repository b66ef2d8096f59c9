package io.brain.admin.check;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * A walk over a range that goes on behind what cannot be read. Where the readable part begins again
 * is found by trying: keys ever farther away until one can be read, then halfway back until the
 * place is exact. What can be read between two damaged stretches that lie close may be taken for
 * part of them.
 */
final class Walk {
    /** Bytes of a key that the search looks at: bounds the number of tries. */
    private static final int SEARCH_BYTES_MAX = 256;

    /** How far behind the end of a short key the search looks. */
    private static final int SEARCH_BYTES_MORE = 8;

    private static final Cursor.Direction FORWARD = Cursor.Direction.FORWARD;

    /** What is met, in key order. */
    interface Visitor {
        /** A pair. */
        void pair(Bytes key, Bytes value);

        /**
         * Nothing can be read between two keys.
         *
         * @param before the last key that was read; null if there was none
         * @param after the next key that can be read; null if there is none
         */
        void gap(Bytes before, Bytes after, StorageException why);
    }

    private final Snapshot snapshot;
    private final KeyRange range;

    Walk(Snapshot snapshot, KeyRange range) {
        this.snapshot = snapshot;
        this.range = range;
    }

    /**
     * Walks from the first key to the last.
     *
     * @throws StorageException of any kind but CORRUPT
     */
    void run(Visitor visitor) {
        Bytes from = range.start();
        Bytes last = null;
        while (from != null) {
            try (Cursor cursor = snapshot.cursor(new KeyRange(from, range.end()), FORWARD)) {
                while (cursor.next()) {
                    Bytes value = cursor.value();
                    last = cursor.key();
                    visitor.pair(last, value);
                }
                return;
            } catch (StorageException unreadable) {
                if (unreadable.kind() != StorageException.Kind.CORRUPT) {
                    throw unreadable;
                }
                boolean moved = last != null && last.compareTo(from) >= 0;
                Bytes failed = moved ? last.successor() : from;
                from = readableAgain(failed);
                visitor.gap(last, from == null ? null : firstFrom(from), unreadable);
            }
        }
    }

    /** A key from which on the walk can go on; null if there is none. */
    private Bytes readableAgain(Bytes failed) {
        int width = Math.min(failed.length() + SEARCH_BYTES_MORE, SEARCH_BYTES_MAX);
        BigInteger start = new BigInteger(1, Arrays.copyOf(failed.array(), width));
        BigInteger unreadable = BigInteger.ZERO;
        BigInteger readable = BigInteger.ONE;
        while (true) {
            Bytes next = key(start.add(readable), width);
            if (next == null || (range.end() != null && next.compareTo(range.end()) >= 0)) {
                return null;
            }
            if (isReadable(next)) {
                break;
            }
            unreadable = readable;
            readable = readable.shiftLeft(1);
        }
        while (readable.subtract(unreadable).bitLength() > 1) {
            BigInteger middle = readable.add(unreadable).shiftRight(1);
            if (isReadable(key(start.add(middle), width))) {
                readable = middle;
            } else {
                unreadable = middle;
            }
        }
        return key(start.add(readable), width);
    }

    /**
     * The shortest key that, with zero bytes behind it up to {@code width}, has this number; null
     * if the number is too large.
     */
    private static Bytes key(BigInteger number, int width) {
        byte[] digits = number.toByteArray();
        int skip = digits[0] == 0 ? 1 : 0;
        int length = digits.length - skip;
        if (length > width) {
            return null;
        }
        byte[] key = new byte[width];
        System.arraycopy(digits, skip, key, width - length, length);
        int end = width;
        while (end > 0 && key[end - 1] == 0) {
            end--;
        }
        return Bytes.copyOf(key, 0, end);
    }

    private boolean isReadable(Bytes from) {
        try {
            firstFrom(from);
            return true;
        } catch (StorageException unreadable) {
            if (unreadable.kind() != StorageException.Kind.CORRUPT) {
                throw unreadable;
            }
            return false;
        }
    }

    /** The first key from {@code from} on; null if there is none. */
    private Bytes firstFrom(Bytes from) {
        try (Cursor cursor = snapshot.cursor(new KeyRange(from, range.end()), FORWARD)) {
            return cursor.next() ? cursor.key() : null;
        }
    }
}
