package io.brain.backend.write;

import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Heads of keys that no uncommitted batch changes, also of absent keys. Bounded in bytes; evicts
 * the least recently used. Used by one thread.
 */
final class RecordCache {
    /** Bytes of an entry's objects on the heap, besides key and value. */
    private static final int OVERHEAD = 264;

    private final long bytesMax;
    private final LinkedHashMap<Bytes, Entry> heads = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    RecordCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Null if it is not cached. */
    HeadRecord get(Bytes key) {
        Entry entry = heads.get(key);
        return entry == null ? null : entry.head;
    }

    boolean contains(Bytes key) {
        return heads.containsKey(key);
    }

    void put(Bytes key, HeadRecord head) {
        int weight = OVERHEAD + key.length() + head.kvLength();
        Entry replaced = heads.put(key, new Entry(head, weight));
        bytes += weight - (replaced == null ? 0 : replaced.bytes);
        if (bytes > bytesMax) {
            evict();
        }
    }

    void clear() {
        heads.clear();
        bytes = 0;
    }

    long bytes() {
        return bytes;
    }

    private void evict() {
        Iterator<Entry> eldest = heads.values().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            bytes -= eldest.next().bytes;
            eldest.remove();
        }
    }

    /** Keeps the size of a head: an evicted one is no longer in the processor's caches. */
    private record Entry(HeadRecord head, int bytes) {}
}
