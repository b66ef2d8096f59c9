package io.brain.storage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * An immutable string of bytes, ordered as unsigned bytes (the order of every engine and of etcd).
 *
 * <p>{@link #wrap} and {@link #array} do not copy: neither caller nor receiver may modify a shared
 * array. Stored values rely on that.
 */
public final class Bytes implements Comparable<Bytes> {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] array;
    private int hash;

    private Bytes(byte[] array) {
        this.array = array;
    }

    /** The bytes of {@code array}, not copied: the caller must not change it afterwards. */
    public static Bytes wrap(byte[] array) {
        return array.length == 0 ? EMPTY : new Bytes(array);
    }

    /** A copy of a part of {@code array}. */
    public static Bytes copyOf(byte[] array, int from, int length) {
        Objects.checkFromIndexSize(from, length, array.length);
        return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(array, from, from + length));
    }

    /** The UTF-8 bytes of {@code text}. */
    public static Bytes utf8(String text) {
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes, not copied: the caller must not change them. */
    public byte[] array() {
        return array;
    }

    /** Number of bytes. */
    public int length() {
        return array.length;
    }

    /** True if the length is 0. */
    public boolean isEmpty() {
        return array.length == 0;
    }

    /** The byte at {@code index}, signed as Java's bytes are. */
    public byte at(int index) {
        return array[index];
    }

    /** True if these bytes begin with all of {@code prefix}. */
    public boolean startsWith(Bytes prefix) {
        int length = prefix.array.length;
        return array.length >= length && Arrays.equals(array, 0, length, prefix.array, 0, length);
    }

    /** These bytes followed by {@code suffix}. */
    public Bytes concat(Bytes suffix) {
        byte[] joined = Arrays.copyOf(array, array.length + suffix.array.length);
        System.arraycopy(suffix.array, 0, joined, array.length, suffix.array.length);
        return wrap(joined);
    }

    /** The smallest key after this one: these bytes and a zero byte. */
    public Bytes successor() {
        return new Bytes(Arrays.copyOf(array, array.length + 1));
    }

    /**
     * The smallest key after every key that begins with these bytes; null if there is none (no
     * bytes, or all are 0xff).
     */
    public Bytes prefixEnd() {
        for (int i = array.length - 1; i >= 0; i--) {
            if (array[i] != (byte) 0xff) {
                byte[] end = Arrays.copyOf(array, i + 1);
                end[i]++;
                return new Bytes(end);
            }
        }
        return null;
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(array, other.array);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof Bytes b && Arrays.equals(array, b.array));
    }

    @Override
    public int hashCode() {
        int h = hash;
        if (h == 0) {
            h = Arrays.hashCode(array);
            hash = h;
        }
        return h;
    }

    /** Printable ASCII unchanged, other bytes as {@code \xNN}; for messages and logs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(array.length);
        for (byte b : array) {
            if (b >= 0x20 && b < 0x7f && b != '\\') {
                text.append((char) b);
            } else {
                text.append(String.format("\\x%02x", b & 0xff));
            }
        }
        return text.toString();
    }
}
