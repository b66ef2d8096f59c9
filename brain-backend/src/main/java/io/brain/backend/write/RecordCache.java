package io.brain.backend.write;

import io.brain.backend.model.RecentlyUsed;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;

/**
 * Newest records of keys that no batch on its way changes, the least recently used leaving first.
 * Absent keys are remembered too. Bounded in bytes on the heap.
 */
final class RecordCache {
    /** What an entry costs besides its bytes: map entry, records, array headers. */
    private static final int OVERHEAD = 264;

    private final RecentlyUsed<HeadRecord> records;

    RecordCache(long bytesMax) {
        records = new RecentlyUsed<>(bytesMax);
    }

    /** The newest record; null if it is not known here. */
    HeadRecord get(Bytes key) {
        return records.get(key);
    }

    boolean contains(Bytes key) {
        return records.contains(key);
    }

    void put(Bytes key, HeadRecord record) {
        int value = record.exists() ? record.kv().encoded().length() : 0;
        records.put(key, record, OVERHEAD + key.length() + value);
    }

    void clear() {
        records.clear();
    }

    long bytes() {
        return records.weight();
    }
}
