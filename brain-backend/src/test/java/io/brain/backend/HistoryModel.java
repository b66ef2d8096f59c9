package io.brain.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a store must hold: every revision of every key, naively. */
final class HistoryModel {
    /** Newest state at each revision; revision 1 is the empty store. */
    private final List<NavigableMap<String, String>> states = new ArrayList<>();

    /** Per key: revision to "is a tombstone", of the key's last change in that revision. */
    private final NavigableMap<String, NavigableMap<Long, Boolean>> records = new TreeMap<>();

    HistoryModel() {
        states.add(null);
        states.add(new TreeMap<>());
    }

    long revision() {
        return states.size() - 1L;
    }

    NavigableMap<String, String> at(long revision) {
        return states.get((int) revision);
    }

    /** The newest state; to be changed by {@link #put} and {@link #delete} only. */
    NavigableMap<String, String> newest() {
        return at(revision());
    }

    /** Begins the next revision. */
    void begin() {
        states.add(new TreeMap<>(newest()));
    }

    void put(String key, String value) {
        newest().put(key, value);
        record(key, false);
    }

    void delete(String key) {
        newest().remove(key);
        record(key, true);
    }

    /**
     * The versions that a store compacted at {@code floor} holds, as "key@revision", the newest of
     * a key first: what nothing up to the floor replaced, but no tombstone below it.
     */
    List<String> versions(long floor) {
        List<String> kept = new ArrayList<>();
        records.forEach(
                (key, revisions) ->
                        revisions
                                .descendingMap()
                                .forEach(
                                        (revision, tombstone) -> {
                                            Long next = revisions.higherKey(revision);
                                            boolean replaced = next != null && next <= floor;
                                            if (!replaced && !(tombstone && revision < floor)) {
                                                kept.add(key + "@" + revision);
                                            }
                                        }));
        return kept;
    }

    /**
     * Tombstones below the floor that were replaced above it: they are left if that was before
     * compaction came to them.
     */
    List<String> perhaps(long floor) {
        List<String> tombstones = new ArrayList<>();
        records.forEach(
                (key, revisions) ->
                        revisions.forEach(
                                (revision, tombstone) -> {
                                    Long next = revisions.higherKey(revision);
                                    boolean replaced = next != null && next > floor;
                                    if (tombstone && revision < floor && replaced) {
                                        tombstones.add(key + "@" + revision);
                                    }
                                }));
        return tombstones;
    }

    /** The keys that have a head in a store compacted at {@code floor}. */
    List<String> knownKeys(long floor) {
        List<String> known = new ArrayList<>();
        records.forEach(
                (key, revisions) -> {
                    Map.Entry<Long, Boolean> newest = revisions.lastEntry();
                    if (!newest.getValue() || newest.getKey() >= floor) {
                        known.add(key);
                    }
                });
        return known;
    }

    private void record(String key, boolean tombstone) {
        records.computeIfAbsent(key, none -> new TreeMap<>()).put(revision(), tombstone);
    }
}
