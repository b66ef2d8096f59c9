package io.brain.backend.write;

import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Newest records of keys that no batch on its way changes, the least recently used leaving first.
 * Absent keys are remembered too. Bounded in bytes on the heap.
 */
final class RecordCache {
    /** What an entry costs besides its bytes: map entry, records, array headers. */
    private static final int OVERHEAD = 264;

    private final long bytesMax;
    private final LinkedHashMap<Bytes, Entry> records = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    RecordCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A record, and what it weighs: whoever is evicted was long not touched, nor are its parts. */
    private static final class Entry {
        private TipRecord record;
        private int weight;
    }

    /** The newest record; null if it is not known here. */
    TipRecord get(Bytes key) {
        Entry entry = records.get(key);
        return entry == null ? null : entry.record;
    }

    boolean contains(Bytes key) {
        return records.containsKey(key);
    }

    void put(Bytes key, TipRecord record) {
        Entry entry = records.get(key);
        if (entry == null) {
            entry = new Entry();
            records.put(key, entry);
        }
        entry.record = record;
        bytes -= entry.weight;
        entry.weight = weight(key, record);
        bytes += entry.weight;
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
        Iterator<Entry> eldest = records.values().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            bytes -= eldest.next().weight;
            eldest.remove();
        }
    }

    private static int weight(Bytes key, TipRecord record) {
        int value = record.exists() ? record.kv().encoded().length() : 0;
        return OVERHEAD + key.length() + value;
    }
}
