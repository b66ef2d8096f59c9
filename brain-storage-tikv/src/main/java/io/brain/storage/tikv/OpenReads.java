package io.brain.storage.tikv;

import java.util.TreeMap;

/** Timestamps of open snapshots. Thread-safe. */
final class OpenReads {
    /** With the number of snapshots. */
    private final TreeMap<Long, Integer> open = new TreeMap<>();

    synchronized void add(long timestamp) {
        open.merge(timestamp, 1, Integer::sum);
    }

    synchronized void remove(long timestamp) {
        open.computeIfPresent(timestamp, (at, count) -> count == 1 ? null : count - 1);
    }

    /** {@link Long#MAX_VALUE} if none is open. */
    synchronized long oldest() {
        return open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    }
}
