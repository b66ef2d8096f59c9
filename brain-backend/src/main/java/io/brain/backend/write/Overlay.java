package io.brain.backend.write;

import io.brain.storage.Bytes;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Newest values of keys that uncommitted batches change, which the engine does not show yet. An
 * entry belongs to the last batch that changed its key.
 *
 * <p>The sorted map is built for the first scan and kept up to date until the overlay is empty,
 * because most batches are written without a scan.
 */
final class Overlay<V> {
    private record Entry<V>(V value, long batch) {}

    private final Map<Bytes, Entry<V>> entries = new HashMap<>();
    private TreeMap<Bytes, V> sorted;

    /** The newest value; null if no uncommitted batch changes the key. */
    V get(Bytes key) {
        Entry<V> entry = entries.get(key);
        return entry == null ? null : entry.value;
    }

    /** Adds a change by batch number {@code batch}, which is not older than any other here. */
    void put(Bytes key, V value, long batch) {
        entries.put(key, new Entry<>(value, batch));
        if (sorted != null) {
            sorted.put(key, value);
        }
    }

    /**
     * Removes the key's entry, unless it belongs to a later batch.
     *
     * @return the removed value; null if there is none
     */
    V remove(Bytes key, long batch) {
        Entry<V> entry = entries.get(key);
        if (entry == null || entry.batch != batch) {
            return null;
        }
        entries.remove(key);
        if (entries.isEmpty()) {
            sorted = null;
        } else if (sorted != null) {
            sorted.remove(key);
        }
        return entry.value;
    }

    /** The entries of a range in key order; valid until the next change. */
    SortedMap<Bytes, V> range(Bytes start, Bytes end) {
        if (entries.isEmpty()) {
            return Collections.emptySortedMap();
        }
        if (sorted == null) {
            sorted = new TreeMap<>();
            entries.forEach((key, entry) -> sorted.put(key, entry.value));
        }
        return end == null ? sorted.tailMap(start) : sorted.subMap(start, end);
    }

    void clear() {
        entries.clear();
        sorted = null;
    }
}
