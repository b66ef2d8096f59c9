package io.brain.admin.check;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * Scans a range and continues after unreadable parts. The end of such a part is found by probing:
 * keys at growing distances until one is readable, then by bisection. Readable keys between two
 * damaged parts close to each other may be skipped with them.
 */
final class SkippingScan {
    /** Length of the keys that the search compares: limits the number of probes. */
    private static final int SEARCH_BYTES_MAX = 256;

    /** Bytes that the search appends to a short key. */
    private static final int SEARCH_BYTES_MORE = 8;

    private static final Cursor.Direction FORWARD = Cursor.Direction.FORWARD;

    /** Receives the unreadable parts of the range. */
    @FunctionalInterface
    interface GapConsumer {
        /**
         * Nothing between two keys is readable.
         *
         * @param before the last key read; null if there is none
         * @param after the next readable key; null if there is none
         */
        void gap(Bytes before, Bytes after, StorageException cause);
    }

    private final Snapshot snapshot;
    private final KeyRange range;

    SkippingScan(Snapshot snapshot, KeyRange range) {
        this.snapshot = snapshot;
        this.range = range;
    }

    /**
     * Passes on all readable pairs and all gaps, in key order.
     *
     * @throws StorageException of any kind but CORRUPT
     */
    void run(BiConsumer<Bytes, Bytes> pairs, GapConsumer gaps) {
        Bytes from = range.start();
        Bytes last = null;
        while (from != null) {
            try (Cursor cursor = snapshot.cursor(new KeyRange(from, range.end()), FORWARD)) {
                while (cursor.next()) {
                    Bytes value = cursor.value();
                    last = cursor.key();
                    pairs.accept(last, value);
                }
                return;
            } catch (StorageException unreadable) {
                Findings.requireDamage(unreadable);
                boolean moved = last != null && last.compareTo(from) >= 0;
                from = nextReadable(moved ? last.successor() : from);
                gaps.gap(last, from == null ? null : firstFrom(from), unreadable);
            }
        }
    }

    /** The key at which the scan can continue; null if there is none. */
    private Bytes nextReadable(Bytes failed) {
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
     * The shortest key that, padded with zero bytes to {@code width}, is this number; null if the
     * number is too large.
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
            Findings.requireDamage(unreadable);
            return false;
        }
    }

    /** The first key from {@code from}; null if there is none. */
    private Bytes firstFrom(Bytes from) {
        try (Cursor cursor = snapshot.cursor(new KeyRange(from, range.end()), FORWARD)) {
            return cursor.next() ? cursor.key() : null;
        }
    }
}
