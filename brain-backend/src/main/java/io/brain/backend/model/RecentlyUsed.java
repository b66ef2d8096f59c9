package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Values by key, bounded by their weights together: the least recently used leave first. Used by
 * one thread at a time.
 *
 * @param <V> a value
 */
public final class RecentlyUsed<V> {
    private final long weightMax;
    private final LinkedHashMap<Bytes, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long weight;

    /**
     * Empty.
     *
     * @param weightMax most that is held; a value heavier than that is not
     */
    public RecentlyUsed(long weightMax) {
        this.weightMax = weightMax;
    }

    /** A value, and what it weighs: whoever leaves was long not touched, nor are its parts. */
    private static final class Entry<V> {
        private V value;
        private long weight;
    }

    /** The value, which is used by that; null if there is none. */
    public V get(Bytes key) {
        Entry<V> entry = entries.get(key);
        return entry == null ? null : entry.value;
    }

    /** True if there is a value. */
    public boolean contains(Bytes key) {
        return entries.containsKey(key);
    }

    /** Holds a value in place of the key's last one. */
    public void put(Bytes key, V value, long itsWeight) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            entry = new Entry<>();
            entries.put(key, entry);
        }
        entry.value = value;
        weight += itsWeight - entry.weight;
        entry.weight = itsWeight;
        if (weight > weightMax) {
            evict();
        }
    }

    /** Lets a key's value go, if there is one. */
    public void remove(Bytes key) {
        Entry<V> entry = entries.remove(key);
        weight -= entry == null ? 0 : entry.weight;
    }

    /** Lets everything go. */
    public void clear() {
        entries.clear();
        weight = 0;
    }

    /** What is held weighs. */
    public long weight() {
        return weight;
    }

    private void evict() {
        Iterator<Entry<V>> eldest = entries.values().iterator();
        while (weight > weightMax && eldest.hasNext()) {
            weight -= eldest.next().weight;
            eldest.remove();
        }
    }
}
