package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A version of a key, as it is stored: first as the key's head, and once it was replaced,
 * unchanged, in the history. The encoded KeyValue comes first, so that an engine can copy it to
 * where it is sent from; then the revision (8 bytes) and the sub-revision (4 bytes).
 *
 * @param revision of the change that made it
 * @param sub place of the change within its revision, from 0
 * @param kv encoded KeyValue; empty: the key was deleted (a tombstone)
 */
public record VersionRecord(long revision, int sub, Bytes kv) {
    /** Bytes behind the KeyValue: all that there is of a tombstone. */
    public static final int TRAILER = Long.BYTES + Integer.BYTES;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** True if the key was deleted. */
    public boolean isTombstone() {
        return kv.isEmpty();
    }

    /** The stored form. */
    public Bytes encode() {
        return new ByteWriter(kv.length() + TRAILER)
                .putBytes(kv)
                .putLong(revision)
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
            throw cutShort();
        }
        ByteReader in = new ByteReader(stored, length);
        long revision = in.getLong();
        return new VersionRecord(revision, in.getInt(), Bytes.copyOf(stored.array(), 0, length));
    }

    /**
     * The revision in the stored form that an array begins with.
     *
     * @param length of the stored form
     * @throws StorageException kind CORRUPT if it is too short
     */
    public static long revision(byte[] stored, int length) {
        if (length < TRAILER) {
            throw cutShort();
        }
        return (long) LONG.get(stored, length - TRAILER);
    }

    private static StorageException cutShort() {
        return new StorageException(StorageException.Kind.CORRUPT, "a stored version is cut short");
    }

    /** Bytes of the stored form. */
    public int encodedLength() {
        return kv.length() + TRAILER;
    }
}
