package io.brain.backend.write;

import io.brain.storage.Bytes;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The newest value of every key that a batch on its way changes: what the engine does not show yet.
 * Each entry is pinned by the last batch that changed it. Bounded by what may be in flight.
 *
 * <p>The sorted view is made when a walk asks for it and kept in step from then until nothing is
 * pinned: most batches are written without any walk.
 */
final class Overlay<V> {
    private record Pinned<V>(V value, long batch) {}

    private final Map<Bytes, Pinned<V>> entries = new HashMap<>();
    private TreeMap<Bytes, V> sorted;

    /** The newest entry's value: all keys that a turn deletes have the same. */
    private Pinned<V> last;

    /** The newest value; null if no batch on its way changes the key. */
    V get(Bytes key) {
        Pinned<V> pinned = entries.get(key);
        return pinned == null ? null : pinned.value;
    }

    /** Batch number {@code batch}, not older than any other here, changes the key. */
    void pin(Bytes key, V value, long batch) {
        if (last == null || last.value != value || last.batch != batch) {
            last = new Pinned<>(value, batch);
        }
        entries.put(key, last);
        if (sorted != null) {
            sorted.put(key, value);
        }
    }

    /**
     * The engine shows {@code batch} now. Forgets the key, unless a later batch changes it again.
     *
     * @return the value that was forgotten; null if the key stays
     */
    V release(Bytes key, long batch) {
        Pinned<V> pinned = entries.get(key);
        if (pinned == null || pinned.batch != batch) {
            return null;
        }
        entries.remove(key);
        if (entries.isEmpty()) {
            sorted = null;
            last = null;
        } else if (sorted != null) {
            sorted.remove(key);
        }
        return pinned.value;
    }

    /** All entries in key order; to be read at once. */
    NavigableMap<Bytes, V> sorted() {
        if (sorted == null) {
            if (entries.isEmpty()) {
                return Collections.emptyNavigableMap();
            }
            sorted = new TreeMap<>();
            entries.forEach((key, pinned) -> sorted.put(key, pinned.value));
        }
        return sorted;
    }

    void clear() {
        entries.clear();
        sorted = null;
        last = null;
    }
}
