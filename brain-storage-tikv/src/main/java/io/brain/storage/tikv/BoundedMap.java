package io.brain.storage.tikv;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of the most recently written entries. Thread-safe.
 *
 * @param <K> key
 * @param <V> value
 */
final class BoundedMap<K, V> {
    private final Map<K, V> entries;

    BoundedMap(int entriesMax) {
        entries =
                new LinkedHashMap<>() {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                        return size() > entriesMax;
                    }
                };
    }

    synchronized V get(K key) {
        return entries.get(key);
    }

    synchronized void put(K key, V value) {
        entries.remove(key);
        entries.put(key, value);
    }

    /** Returns the removed value; null if absent. */
    synchronized V remove(K key) {
        return entries.remove(key);
    }
}
