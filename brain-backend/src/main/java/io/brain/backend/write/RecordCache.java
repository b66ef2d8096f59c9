package io.brain.backend.write;

import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Newest records of keys that no batch on its way changes, the least recently used leaving first.
 * Absent keys are remembered too. Bounded in bytes on the heap.
 */
final class RecordCache {
    /** What an entry costs besides its bytes: map entry, records, array headers. */
    private static final int OVERHEAD = 240;

    private final long bytesMax;
    private final LinkedHashMap<Bytes, TipRecord> records = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    RecordCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** The newest record; null if it is not known here. */
    TipRecord get(Bytes key) {
        return records.get(key);
    }

    boolean contains(Bytes key) {
        return records.containsKey(key);
    }

    void put(Bytes key, TipRecord record) {
        TipRecord old = records.put(key, record);
        bytes += weight(key, record) - (old == null ? 0 : weight(key, old));
        if (bytes > bytesMax) {
            evict();
        }
    }

    void clear() {
        records.clear();
        bytes = 0;
    }

    long bytes() {
        return bytes;
    }

    private void evict() {
        Iterator<Map.Entry<Bytes, TipRecord>> eldest = records.entrySet().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            Map.Entry<Bytes, TipRecord> entry = eldest.next();
            bytes -= weight(entry.getKey(), entry.getValue());
            eldest.remove();
        }
    }

    private static int weight(Bytes key, TipRecord record) {
        int value = record.exists() ? record.kv().encoded().length() : 0;
        return OVERHEAD + key.length() + value;
    }
}
