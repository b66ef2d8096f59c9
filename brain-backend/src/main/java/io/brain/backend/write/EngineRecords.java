package io.brain.backend.write;

import io.brain.backend.key.RevisionRecord;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Records as the engine has them, read on one snapshot that is opened when first needed and let go
 * with {@link #release}: at the latest when a batch was published, which it would not show.
 */
final class EngineRecords {
    private final Store store;
    private Snapshot snapshot;

    EngineRecords(Store store) {
        this.store = store;
    }

    /** The newest record of a key. */
    TipRecord read(Bytes key) {
        Bytes stored = open().get(store.coder().revisionKey(key));
        if (stored == null) {
            return TipRecord.ABSENT;
        }
        RevisionRecord newest = RevisionRecord.decode(stored);
        if (newest.tombstone()) {
            return new TipRecord(newest.revision(), null);
        }
        return live(key, newest, open().get(store.coder().versionKey(key, newest.revision())));
    }

    /** The newest records of several keys, in their order, in two rounds. */
    List<TipRecord> read(List<Bytes> keys) {
        List<Bytes> revisionKeys = new ArrayList<>(keys.size());
        keys.forEach(key -> revisionKeys.add(store.coder().revisionKey(key)));
        List<Bytes> stored = open().get(revisionKeys);
        List<TipRecord> records = new ArrayList<>(keys.size());
        List<Integer> live = new ArrayList<>();
        List<Bytes> versionKeys = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            if (stored.get(i) == null) {
                records.add(TipRecord.ABSENT);
                continue;
            }
            RevisionRecord newest = RevisionRecord.decode(stored.get(i));
            records.add(new TipRecord(newest.revision(), null));
            if (!newest.tombstone()) {
                live.add(i);
                versionKeys.add(store.coder().versionKey(keys.get(i), newest.revision()));
            }
        }
        List<Bytes> versions = live.isEmpty() ? List.of() : open().get(versionKeys);
        for (int i = 0; i < live.size(); i++) {
            int at = live.get(i);
            RevisionRecord newest = new RevisionRecord(records.get(at).revision(), false);
            records.set(at, live(keys.get(at), newest, versions.get(i)));
        }
        return records;
    }

    /** A small record; null if it is absent. */
    Bytes small(Bytes internalKey) {
        return open().get(internalKey);
    }

    /** An ascending walk; must be closed before {@link #release}. */
    Cursor cursor(KeyRange range) {
        return open().cursor(range, Cursor.Direction.FORWARD);
    }

    /** Lets the snapshot go; the next read sees what is published by then. */
    void release() {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }

    private Snapshot open() {
        if (snapshot == null) {
            snapshot = store.open();
        }
        return snapshot;
    }

    private static TipRecord live(Bytes key, RevisionRecord newest, Bytes stored) {
        if (stored == null) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT,
                    "no version record of " + key + " at revision " + newest.revision());
        }
        Bytes kv = VersionRecord.decode(stored).kv();
        return new TipRecord(newest.revision(), KeyValue.decode(kv));
    }
}
