package io.brain.backend.wire;

import io.brain.storage.Bytes;
import java.util.Arrays;
import java.util.List;

/** A growing array of bytes: fixed-width big-endian numbers, protobuf varints, byte strings. */
public final class ByteWriter {
    private byte[] array;
    private int length;

    /** An empty writer with room for {@code capacity} bytes before it grows. */
    public ByteWriter(int capacity) {
        array = new byte[capacity];
    }

    /** Length of {@code value} as a varint. */
    public static int varintLength(long value) {
        return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    /** Bytes written so far. */
    public int length() {
        return length;
    }

    /** One byte. */
    public ByteWriter putByte(int value) {
        reserve(1);
        array[length++] = (byte) value;
        return this;
    }

    /** Four bytes, big-endian. */
    public ByteWriter putInt(int value) {
        return putByte(value >>> 24).putByte(value >>> 16).putByte(value >>> 8).putByte(value);
    }

    /** Eight bytes, big-endian. */
    public ByteWriter putLong(long value) {
        return putInt((int) (value >>> 32)).putInt((int) value);
    }

    /** A varint, as protobuf encodes an int64: a negative number takes ten bytes. */
    public ByteWriter putVarint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            putByte((int) (rest | 0x80));
            rest >>>= 7;
        }
        return putByte((int) rest);
    }

    /** All bytes of an array. */
    public ByteWriter putRaw(byte[] bytes) {
        return putRaw(bytes, 0, bytes.length);
    }

    /** A range of an array. */
    public ByteWriter putRaw(byte[] bytes, int from, int count) {
        reserve(count);
        System.arraycopy(bytes, from, array, length, count);
        length += count;
        return this;
    }

    /** The bytes without their length. */
    public ByteWriter putBytes(Bytes bytes) {
        return putRaw(bytes.array());
    }

    /** Length as a varint, then the bytes. */
    public ByteWriter putSized(Bytes bytes) {
        return putVarint(bytes.length()).putBytes(bytes);
    }

    /** Number of strings as a varint, then each in UTF-8 with its length. */
    public ByteWriter putStrings(List<String> strings) {
        putVarint(strings.size());
        strings.forEach(string -> putSized(Bytes.utf8(string)));
        return this;
    }

    /** The written bytes; the writer must not be used afterwards. */
    public Bytes finish() {
        return Bytes.wrap(length == array.length ? array : Arrays.copyOf(array, length));
    }

    private void reserve(int more) {
        if (array.length - length < more) {
            array = Arrays.copyOf(array, Math.max(array.length * 2, length + more));
        }
    }
}
