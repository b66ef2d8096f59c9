package io.brain.transfer.load;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.EtcdChange;

/**
 * The newest version of a key.
 *
 * @param revision 0 if the key has no version
 * @param kv null if the version is a tombstone, or if there is none
 * @param stored the stored form; empty if there is no version
 */
record Head(long revision, KeyValue kv, Bytes stored) {
    /** The head of a key without versions. */
    static final Head ABSENT = new Head(0, null, Bytes.EMPTY);

    /** The head after a change. */
    static Head of(EtcdChange change) {
        KeyValue kv = change.delete() ? null : change.kv();
        Bytes encoded = kv == null ? Bytes.EMPTY : kv.encoded();
        return new Head(
                change.revision(),
                kv,
                new VersionRecord(change.revision(), change.sub(), encoded).encode());
    }

    /** Reads the stored form; {@link #ABSENT} for null. */
    static Head decode(Bytes stored) {
        if (stored == null) {
            return ABSENT;
        }
        VersionRecord version = VersionRecord.decode(stored);
        KeyValue kv = version.isTombstone() ? null : KeyValue.decode(version.kv());
        return new Head(version.revision(), kv, stored);
    }

    boolean exists() {
        return kv != null;
    }

    boolean isAbsent() {
        return revision == 0;
    }

    /** The lease of the key; 0 if there is none. */
    long lease() {
        return kv == null ? 0 : kv.lease();
    }
}
