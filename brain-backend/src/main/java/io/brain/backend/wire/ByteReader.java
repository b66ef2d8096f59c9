package io.brain.backend.wire;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the output of a {@link ByteWriter}. Every method throws a {@link StorageException} of kind
 * CORRUPT if the bytes end too early.
 */
public final class ByteReader {
    private final byte[] array;
    private int at;

    /** A reader that starts at the offset {@code from}. */
    public ByteReader(Bytes bytes, int from) {
        array = bytes.array();
        at = from;
    }

    /** True if bytes are left. */
    public boolean hasMore() {
        return at < array.length;
    }

    /** Offset of the next byte. */
    public int position() {
        return at;
    }

    /** One byte, 0 to 255. */
    public int getByte() {
        need(1);
        return array[at++] & 0xff;
    }

    /** Four bytes, big-endian. */
    public int getInt() {
        return (getByte() << 24) | (getByte() << 16) | (getByte() << 8) | getByte();
    }

    /** Eight bytes, big-endian. */
    public long getLong() {
        return ((long) getInt() << 32) | (getInt() & 0xffffffffL);
    }

    /** A varint. */
    public long getVarint() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int b = getByte();
            value |= (long) (b & 0x7f) << shift;
            if (b < 0x80) {
                return value;
            }
        }
        throw damaged();
    }

    /** Bytes after their length as a varint. */
    public Bytes getSized() {
        int length = sizedLength();
        Bytes bytes = Bytes.copyOf(array, at, length);
        at += length;
        return bytes;
    }

    /** Skips bytes after their length as a varint; returns the length. */
    public int skipSized() {
        int length = sizedLength();
        at += length;
        return length;
    }

    /** Strings as {@link ByteWriter#putStrings} writes them. */
    public List<String> getStrings() {
        List<String> strings = new ArrayList<>();
        for (long left = getVarint(); left > 0; left--) {
            strings.add(new String(getSized().array(), StandardCharsets.UTF_8));
        }
        return strings;
    }

    private int sizedLength() {
        long length = getVarint();
        if (length < 0 || length > array.length - at) {
            throw damaged();
        }
        return (int) length;
    }

    private void need(int count) {
        if (array.length - at < count) {
            throw damaged();
        }
    }

    private static StorageException damaged() {
        return new StorageException(StorageException.Kind.CORRUPT, "a stored record is cut short");
    }
}
