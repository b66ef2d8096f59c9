package io.brain.backend.txn;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;

/**
 * The newest version of a key.
 *
 * @param revision of the change that made it; 0 if the key has no version
 * @param sub index of the change within its revision
 * @param kv null if the version is a tombstone, or if there is none
 */
public record HeadRecord(long revision, int sub, KeyValue kv) {
    /** The head of a key without versions. */
    public static final HeadRecord ABSENT = new HeadRecord(0, 0, null);

    /** Decodes a stored head; {@link #ABSENT} for null. */
    public static HeadRecord of(Bytes stored) {
        if (stored == null) {
            return ABSENT;
        }
        VersionRecord version = VersionRecord.decode(stored);
        KeyValue kv = version.isTombstone() ? null : KeyValue.decode(version.kv());
        return new HeadRecord(version.revision(), version.sub(), kv);
    }

    /** True if the key exists. */
    public boolean exists() {
        return kv != null;
    }

    /** True if the newest version is a tombstone. */
    public boolean isTombstone() {
        return kv == null && revision != 0;
    }

    /** The encoded KeyValue; null if the key does not exist. */
    public Bytes encodedKv() {
        return kv == null ? null : kv.encoded();
    }

    /** The stored form; only if there is a version. */
    public Bytes encode() {
        return new VersionRecord(revision, sub, kv == null ? Bytes.EMPTY : kv.encoded()).encode();
    }

    /** Length of the stored form; 0 if there is no version. */
    public int encodedLength() {
        int length = kv == null ? 0 : kv.encoded().length();
        return revision == 0 ? 0 : length + VersionRecord.TRAILER;
    }
}
