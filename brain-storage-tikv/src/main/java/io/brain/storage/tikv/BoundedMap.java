package io.brain.storage.tikv;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The newest entries, up to a number. Thread-safe.
 *
 * @param <K> of a map
 * @param <V> of a map
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

    /** What was there; null if nothing. */
    synchronized V remove(K key) {
        return entries.remove(key);
    }
}
