package io.brain.backend.txn;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;

/**
 * The newest version of a key at the tip.
 *
 * @param revision its revision; 0: the key has no version at all
 * @param sub place of the change that made it within its revision, from 0
 * @param kv the live KeyValue; null if the version is a tombstone or there is none
 */
public record HeadRecord(long revision, int sub, KeyValue kv) {
    /** A key that has no version. */
    public static final HeadRecord ABSENT = new HeadRecord(0, 0, null);

    /** A stored version; {@link #ABSENT} if it is null. */
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

    /** The version as it is stored; of a key that has one. */
    public Bytes encode() {
        return new VersionRecord(revision, sub, kv == null ? Bytes.EMPTY : kv.encoded()).encode();
    }

    /** Bytes of the stored form; 0 if there is no version. */
    public int encodedLength() {
        int length = kv == null ? 0 : kv.encoded().length();
        return revision == 0 ? 0 : length + VersionRecord.TRAILER;
    }
}
