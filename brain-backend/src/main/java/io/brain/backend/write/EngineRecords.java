package io.brain.backend.write;

import io.brain.backend.store.Store;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
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

    /** The newest version of a key. */
    HeadRecord read(Bytes key) {
        return HeadRecord.of(open().get(store.coder().headKey(key)));
    }

    /** The newest versions of several keys, in their order, in one round. */
    List<HeadRecord> read(List<Bytes> keys) {
        List<Bytes> headKeys = new ArrayList<>(keys.size());
        keys.forEach(key -> headKeys.add(store.coder().headKey(key)));
        List<HeadRecord> records = new ArrayList<>(keys.size());
        open().get(headKeys).forEach(stored -> records.add(HeadRecord.of(stored)));
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
}
