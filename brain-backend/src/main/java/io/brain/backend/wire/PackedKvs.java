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
 * Encoded KeyValues as an answer carries them: each behind the tag of etcd's field {@code
 * RangeResponse.kvs} and its length, one behind the other in a few arrays. A stored value is copied
 * here once, from the engine, and goes to the transport from here.
 *
 * <p>One thread fills it; once it is handed on nobody may. To read it is a list, of copies.
 */
public final class PackedKvs extends AbstractList<Bytes> implements RandomAccess {
    /** Where the bytes are. */
    @FunctionalInterface
    public interface Visitor {
        /** A part of {@code array}, which must not be changed. */
        void visit(byte[] array, int from, int length);
    }

    private static final byte[] NOTHING = new byte[0];
    private static final int TAG = 2 << 3 | 2;
    private static final int HEAD_BYTES_MAX = 1 + 5;
    private static final int FIRST_BYTES = 2 << 10;

    /** An array that has no more room, and where its content ends. */
    private static final class Full {
        private final byte[] array;
        private final int end;

        Full(byte[] array, int end) {
            this.array = array;
            this.end = end;
        }
    }

    private final ArrayPool pool;
    private final List<Full> full = new ArrayList<>();
    private byte[] last = NOTHING;
    private int end;

    /** Of each KeyValue its array's number (upper half) and where it begins there. */
    private long[] places = new long[16];

    private int[] lengths = new int[16];
    private int size;
    private long bytes;

    /**
     * Nothing yet.
     *
     * @param pool where arrays come from, and may be given back to
     */
    public PackedKvs(ArrayPool pool) {
        this.pool = pool;
    }

    /** Appends a KeyValue; its length. */
    public int append(Bytes kv) {
        return append(kv.array(), 0, kv.length());
    }

    /** Appends the KeyValue that a part of {@code array} is; its length. */
    public int append(byte[] array, int from, int length) {
        reserve(length);
        int at = head(length);
        System.arraycopy(array, from, last, at, length);
        return placed(at, length);
    }

    /**
     * Appends what the value under a cursor holds; its length.
     *
     * @param behind bytes of the value behind the KeyValue
     */
    public int append(Cursor cursor, int behind) {
        // Where it belongs if its length takes as many bytes as that of the one before.
        int guess = size == 0 ? HEAD_BYTES_MAX : headBytes(lengths[size - 1]);
        int room = last.length - end - HEAD_BYTES_MAX;
        int stored = room > 0 ? cursor.copyValue(last, end + guess) : cursor.valueLength();
        if (stored > room) {
            reserve(stored);
            stored = cursor.copyValue(last, end + guess);
        }
        int length = stored - behind;
        if (length < 0) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT, "a stored record is cut short");
        }
        int needed = headBytes(length);
        if (needed != guess) {
            System.arraycopy(last, end + guess, last, end + needed, length);
        }
        return placed(head(length), length);
    }

    /** Bytes of all, tags and lengths included. */
    public long bytes() {
        return bytes;
    }

    /** All bytes in order, tags and lengths included. */
    public void forEachPart(Visitor visitor) {
        for (Full part : full) {
            visitor.visit(part.array, 0, part.end);
        }
        visitor.visit(last, 0, end);
    }

    /** Each KeyValue where it is. */
    public void forEachKv(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.visit(array(i), (int) places[i], lengths[i]);
        }
    }

    /** Each of any list of encoded KeyValues where it is, not copied. */
    public static void forEachKv(List<Bytes> kvs, Visitor visitor) {
        if (kvs instanceof PackedKvs packed) {
            packed.forEachKv(visitor);
        } else {
            kvs.forEach(kv -> visitor.visit(kv.array(), 0, kv.length()));
        }
    }

    /**
     * Gives the arrays back: nobody may use what is here, or what visitors saw, any more. Need not
     * be called.
     */
    public void release() {
        size = 0;
        bytes = 0;
        for (Full part : full) {
            give(part.array);
        }
        full.clear();
        give(last);
        last = NOTHING;
        end = 0;
    }

    private void give(byte[] array) {
        if (array.length == ArrayPool.ARRAY_BYTES) {
            pool.give(array);
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
        return Bytes.copyOf(array(index), (int) places[index], lengths[index]);
    }

    @Override
    public int size() {
        return size;
    }

    private byte[] array(int index) {
        int number = (int) (places[index] >>> Integer.SIZE);
        return number == full.size() ? last : full.get(number).array;
    }

    /** Makes room for a value and a head; new arrays grow with what there is already. */
    private void reserve(int length) {
        long least = (long) length + HEAD_BYTES_MAX;
        if (last.length - end >= least) {
            return;
        }
        if (end > 0) {
            full.add(new Full(last, end));
        }
        byte[] used = end > 0 && least <= ArrayPool.ARRAY_BYTES ? pool.take() : null;
        long usual = Math.min(Math.max(2 * bytes, FIRST_BYTES), ArrayPool.ARRAY_BYTES);
        last = used != null ? used : new byte[Math.toIntExact(Math.max(usual, least))];
        end = 0;
    }

    /** Bytes of a tag and a length. */
    private static int headBytes(int length) {
        return 1 + ByteWriter.varintLength(length);
    }

    /** Writes tag and length; where the KeyValue comes. */
    private int head(int length) {
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

    private int placed(int at, int length) {
        if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
            lengths = Arrays.copyOf(lengths, 2 * size);
        }
        places[size] = ((long) full.size() << Integer.SIZE) | at;
        lengths[size] = length;
        size++;
        bytes += at + length - end;
        end = at + length;
        return length;
    }
}
