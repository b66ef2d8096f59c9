package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A stored version of a key: first the key's head; once replaced, unchanged, in the history. The
 * encoded KeyValue comes first, so that an engine can copy it straight into a response; then the
 * revision (8 bytes) and the sub-revision (4 bytes).
 *
 * <p>The empty key, which no client can use, has a version in a store that came from an etcd whose
 * revision was raised when it was restored: the marker, a change without KeyValue that is no
 * delete. etcd's compactions keep it, and its hashes include it.
 *
 * @param revision revision of the change
 * @param sub index of the change within its revision, from 0
 * @param kv encoded KeyValue; empty: the key was deleted (a tombstone)
 */
public record VersionRecord(long revision, int sub, Bytes kv) {
    /** Bytes after the KeyValue; a tombstone has nothing else. */
    public static final int TRAILER = Long.BYTES + Integer.BYTES;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    public boolean isTombstone() {
        return kv.isEmpty();
    }

    /** True if this version of a key is a delete; unlike {@link #isTombstone}, not the marker. */
    public boolean isDelete(Bytes key) {
        return isTombstone() && !key.isEmpty();
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
     * Reads the stored form; copies the KeyValue.
     *
     * @throws StorageException kind CORRUPT if it is too short
     */
    public static VersionRecord decode(Bytes stored) {
        return decode(stored.array(), stored.length());
    }

    /**
     * Reads the stored form at the beginning of an array; copies the KeyValue.
     *
     * @param length length of the stored form
     * @throws StorageException kind CORRUPT if it is too short
     */
    public static VersionRecord decode(byte[] stored, int length) {
        long revision = revision(stored, length);
        int sub = new ByteReader(Bytes.wrap(stored), length - Integer.BYTES).getInt();
        return new VersionRecord(revision, sub, Bytes.copyOf(stored, 0, length - TRAILER));
    }

    /**
     * The revision of the stored form at the beginning of an array.
     *
     * @param length length of the stored form
     * @throws StorageException kind CORRUPT if it is too short
     */
    public static long revision(byte[] stored, int length) {
        if (length < TRAILER) {
            throw cutShort();
        }
        return (long) LONG.get(stored, length - TRAILER);
    }

    /** The sub-revision of the stored form. */
    public static int sub(Bytes stored) {
        return new ByteReader(stored, stored.length() - Integer.BYTES).getInt();
    }

    private static StorageException cutShort() {
        return new StorageException(StorageException.Kind.CORRUPT, "a stored version is cut short");
    }

    /** Length of the stored form. */
    public int encodedLength() {
        return kv.length() + TRAILER;
    }
}
