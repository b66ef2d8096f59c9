package io.brain.backend.store;

/**
 * The readable revisions of a node.
 *
 * @param newest the newest committed state
 * @param floor the oldest readable revision, never above the newest; -1 if never compacted
 */
public record ReadWindow(ReadPoint newest, long floor) {
    /**
     * The maximum of this and another state. A revision that is committed at one timestamp is also
     * committed at every later one, so revision and timestamp rise independently. Revisions below
     * the floor are incomplete at a later timestamp, so the revision is at least the floor.
     */
    ReadWindow with(ReadPoint seen, long seenFloor) {
        long floorNow = Math.max(floor, seenFloor);
        long revision = Math.max(Math.max(newest.revision(), seen.revision()), floorNow);
        long timestamp = Math.max(newest.timestamp(), seen.timestamp());
        return new ReadWindow(new ReadPoint(revision, timestamp), floorNow);
    }
}
