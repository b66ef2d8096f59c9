package io.brain.backend.key;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * What is stored under a version key: the encoded KeyValue (of a tombstone: only the key), then one
 * byte of flags (1: tombstone) and the sub-revision (4 bytes). The KeyValue comes first so that an
 * engine can copy it to where it is sent from.
 *
 * @param sub place of the change within its revision, from 0
 * @param kv encoded KeyValue
 */
public record VersionRecord(boolean tombstone, int sub, Bytes kv) {
    /** Bytes behind the KeyValue. */
    public static final int TRAILER = 1 + Integer.BYTES;

    private static final int TOMBSTONE = 1;

    /** The stored form. */
    public Bytes encode() {
        return new ByteWriter(kv.length() + TRAILER)
                .putBytes(kv)
                .putByte(tombstone ? TOMBSTONE : 0)
                .putInt(sub)
                .finish();
    }

    /**
     * Reads the stored form; copies the KeyValue's bytes out.
     *
     * @throws StorageException kind CORRUPT if it is too short
     */
    public static VersionRecord decode(Bytes stored) {
        int length = stored.length() - TRAILER;
        if (length < 0) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT, "a stored record is cut short");
        }
        ByteReader in = new ByteReader(stored, length);
        boolean tombstone = (in.getByte() & TOMBSTONE) != 0;
        return new VersionRecord(tombstone, in.getInt(), Bytes.copyOf(stored.array(), 0, length));
    }

    /** Bytes of the stored form. */
    public int encodedLength() {
        return kv.length() + TRAILER;
    }
}
