package io.brain.backend.write;

import io.brain.backend.model.RecentlyUsed;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;

/**
 * Heads of keys that no uncommitted batch changes, also of absent keys. Bounded in bytes; evicts
 * the least recently used.
 */
final class RecordCache {
    /** Bytes of an entry's objects on the heap, besides key and value. */
    private static final int OVERHEAD = 264;

    private final RecentlyUsed<HeadRecord> heads;

    RecordCache(long bytesMax) {
        heads = new RecentlyUsed<>(bytesMax);
    }

    /** Null if it is not cached. */
    HeadRecord get(Bytes key) {
        return heads.get(key);
    }

    boolean contains(Bytes key) {
        return heads.contains(key);
    }

    void put(Bytes key, HeadRecord head) {
        int value = head.exists() ? head.kv().encoded().length() : 0;
        heads.put(key, head, OVERHEAD + key.length() + value);
    }

    void clear() {
        heads.clear();
    }

    long bytes() {
        return heads.weight();
    }
}
