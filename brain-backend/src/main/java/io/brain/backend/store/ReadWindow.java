package io.brain.backend.store;

/**
 * The revisions that a node can read.
 *
 * @param newest the newest committed state
 * @param floor the oldest revision that can be read, never above the newest; -1 if nothing was ever
 *     compacted
 */
public record ReadWindow(ReadPoint newest, long floor) {
    /**
     * Everything that this and {@code seen} know. A revision that is committed at one timestamp is
     * committed at every later one, so revision and timestamp rise independently; what is below the
     * floor has holes at a later timestamp, so the revision is at least the floor.
     */
    ReadWindow with(ReadPoint seen, long seenFloor) {
        long floorNow = Math.max(floor, seenFloor);
        long revision = Math.max(Math.max(newest.revision(), seen.revision()), floorNow);
        long timestamp = Math.max(newest.timestamp(), seen.timestamp());
        return new ReadWindow(new ReadPoint(revision, timestamp), floorNow);
    }
}
