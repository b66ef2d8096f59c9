package io.brain.backend.key;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * What is stored under a version key: one byte of flags (1: tombstone), the sub-revision (4 bytes),
 * then the encoded KeyValue (of a tombstone: only the key).
 *
 * @param sub place of the change within its revision, from 0
 * @param kv encoded KeyValue
 */
public record VersionRecord(boolean tombstone, int sub, Bytes kv) {
    /** Bytes before the KeyValue. */
    public static final int HEADER = 1 + Integer.BYTES;

    private static final int TOMBSTONE = 1;

    /** The stored form. */
    public Bytes encode() {
        return new ByteWriter(HEADER + kv.length())
                .putByte(tombstone ? TOMBSTONE : 0)
                .putInt(sub)
                .putBytes(kv)
                .finish();
    }

    /** Reads the stored form; copies the KeyValue's bytes out. */
    public static VersionRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        boolean tombstone = (in.getByte() & TOMBSTONE) != 0;
        int sub = in.getInt();
        return new VersionRecord(
                tombstone, sub, Bytes.copyOf(stored.array(), HEADER, stored.length() - HEADER));
    }

    /** Bytes of the stored form. */
    public int encodedLength() {
        return HEADER + kv.length();
    }
}
