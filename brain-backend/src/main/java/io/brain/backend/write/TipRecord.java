package io.brain.backend.write;

import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;

/**
 * The newest version of a key at the tip.
 *
 * @param revision its revision; 0: the key has no version at all
 * @param sub place of the change that made it within its revision, from 0
 * @param kv the live KeyValue; null if the version is a tombstone or there is none
 */
public record TipRecord(long revision, int sub, KeyValue kv) {
    /** A key that has no version. */
    public static final TipRecord ABSENT = new TipRecord(0, 0, null);

    /** A stored version; {@link #ABSENT} if it is null. */
    static TipRecord of(Bytes stored) {
        if (stored == null) {
            return ABSENT;
        }
        VersionRecord version = VersionRecord.decode(stored);
        KeyValue kv = version.isTombstone() ? null : KeyValue.decode(version.kv());
        return new TipRecord(version.revision(), version.sub(), kv);
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
    Bytes encode() {
        return new VersionRecord(revision, sub, kv == null ? Bytes.EMPTY : kv.encoded()).encode();
    }

    /** Bytes of the stored form; 0 if there is no version. */
    int encodedLength() {
        int length = kv == null ? 0 : kv.encoded().length();
        return revision == 0 ? 0 : length + VersionRecord.TRAILER;
    }
}
