package io.brain.backend.wire;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.StorageException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * Encoded KeyValues in the form of etcd's repeated field {@code RangeResponse.kvs}: tag, length and
 * message of each, in a few arrays. A stored value is copied once from the engine, and sent from
 * here; a long KeyValue that is in memory already is not copied.
 *
 * <p>Filled by one thread, then read-only. As a list it returns copies.
 */
public final class PackedKvs extends AbstractList<Bytes> implements RandomAccess {
    /** Receives ranges of bytes. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives a range of {@code array}, which must not be changed. */
        void visit(byte[] array, int from, int length);
    }

    private static final int TAG = 2 << 3 | 2;
    private static final int HEADER_BYTES_MAX = 1 + 5;
    private static final int FIRST_ARRAY_BYTES = 2 << 10;
    private static final int ARRAY_BYTES_MAX = 64 << 10;

    /** A shorter KeyValue is copied: a part of its own costs as much. */
    private static final int OWN_PART_BYTES = 512;

    /** A range of an array, before the last one. */
    private static final class Part {
        private final byte[] array;
        private final int from;
        private final int end;

        Part(byte[] array, int from, int end) {
            this.array = array;
            this.from = from;
            this.end = end;
        }
    }

    private final List<Part> parts = new ArrayList<>();

    /** The last array and the range of it that is no part yet. */
    private byte[] last = new byte[0];

    private int start;
    private int end;

    /** Number of each KeyValue's part (upper half) and offset within its array. */
    private long[] positions = new long[16];

    private int[] lengths = new int[16];
    private int size;
    private long bytes;

    /** Appends a KeyValue; returns its length. */
    public int append(Bytes kv) {
        int length = kv.length();
        if (length < OWN_PART_BYTES) {
            return append(kv.array(), 0, length);
        }
        reserve(0);
        int at = writeHeader(length);
        bytes += at + length - end;
        end = at;
        cut();
        place(0, length);
        parts.add(new Part(kv.array(), 0, length));
        return length;
    }

    /** Appends a KeyValue that is a range of {@code array}; returns its length. */
    public int append(byte[] array, int from, int length) {
        reserve(length);
        int at = writeHeader(length);
        System.arraycopy(array, from, last, at, length);
        return added(at, length);
    }

    /**
     * Appends the KeyValue at the beginning of a cursor's value; returns its length.
     *
     * @param trailer bytes of the value after the KeyValue
     */
    public int append(Cursor cursor, int trailer) {
        // The right position if the length takes as many bytes as that of the KeyValue before.
        int guess = size == 0 ? HEADER_BYTES_MAX : headerLength(lengths[size - 1]);
        int room = last.length - end - HEADER_BYTES_MAX;
        int stored = room > 0 ? cursor.copyValue(last, end + guess) : cursor.valueLength();
        if (stored > room) {
            reserve(stored);
            stored = cursor.copyValue(last, end + guess);
        }
        int length = stored - trailer;
        if (length < 0) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT, "a stored record is cut short");
        }
        int header = headerLength(length);
        if (header != guess) {
            System.arraycopy(last, end + guess, last, end + header, length);
        }
        return added(writeHeader(length), length);
    }

    /** Total bytes, tags and lengths included. */
    public long bytes() {
        return bytes;
    }

    /** Visits all bytes in order, tags and lengths included. */
    public void forEachPart(Visitor visitor) {
        for (Part part : parts) {
            visitor.visit(part.array, part.from, part.end - part.from);
        }
        visitor.visit(last, start, end - start);
    }

    /** Visits each KeyValue of a list; those of a packed list without copying them. */
    public static void forEachKv(List<Bytes> kvs, Visitor visitor) {
        if (kvs instanceof PackedKvs packed) {
            for (int i = 0; i < packed.size; i++) {
                visitor.visit(packed.array(i), (int) packed.positions[i], packed.lengths[i]);
            }
        } else {
            kvs.forEach(kv -> visitor.visit(kv.array(), 0, kv.length()));
        }
    }

    @Override
    public boolean add(Bytes kv) {
        append(kv);
        return true;
    }

    @Override
    public Bytes get(int index) {
        Objects.checkIndex(index, size);
        return Bytes.copyOf(array(index), (int) positions[index], lengths[index]);
    }

    @Override
    public int size() {
        return size;
    }

    private byte[] array(int index) {
        int number = (int) (positions[index] >>> Integer.SIZE);
        return number == parts.size() ? last : parts.get(number).array;
    }

    /** Makes room for a KeyValue and its header; new arrays grow with the content. */
    private void reserve(int length) {
        long needed = (long) length + HEADER_BYTES_MAX;
        if (last.length - end >= needed) {
            return;
        }
        cut();
        long usual = Math.min(Math.max(2 * bytes, FIRST_ARRAY_BYTES), ARRAY_BYTES_MAX);
        last = new byte[Math.toIntExact(Math.max(usual, needed))];
        start = 0;
        end = 0;
    }

    /** Makes a part of what the last array holds. */
    private void cut() {
        if (end > start) {
            parts.add(new Part(last, start, end));
            start = end;
        }
    }

    /** Length of a tag and a KeyValue's length. */
    private static int headerLength(int length) {
        return 1 + ByteWriter.varintLength(length);
    }

    /** Writes tag and length; returns the offset of the KeyValue. */
    private int writeHeader(int length) {
        int at = end;
        last[at++] = TAG;
        int rest = length;
        while (rest > 0x7f) {
            last[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        last[at++] = (byte) rest;
        return at;
    }

    private int added(int at, int length) {
        place(at, length);
        bytes += at + length - end;
        end = at + length;
        return length;
    }

    /** Notes a KeyValue at an offset of the next part's array. */
    private void place(int at, int length) {
        if (size == positions.length) {
            positions = Arrays.copyOf(positions, 2 * size);
            lengths = Arrays.copyOf(lengths, 2 * size);
        }
        positions[size] = ((long) parts.size() << Integer.SIZE) | at;
        lengths[size] = length;
        size++;
    }
}
