package io.brain.backend.revision;

import java.util.concurrent.CompletableFuture;

/**
 * What every part of a node must know of the order: the newest committed revision and the
 * compaction floor. Readable by any thread; {@link #publish} and {@link #raiseFloor} are for the
 * publisher.
 */
public final class Revisions {
    private final RevisionWaiters waiters = new RevisionWaiters();
    private volatile ReadPoint committed;
    private volatile long floor;

    /**
     * Starts from what recovery found.
     *
     * @param floor the compaction floor; -1 if nothing was ever compacted
     */
    public Revisions(ReadPoint committed, long floor) {
        this.committed = committed;
        this.floor = floor;
    }

    /** The newest state that may be read. */
    public ReadPoint committed() {
        return committed;
    }

    /** The oldest revision that may be read; -1 if nothing was ever compacted. */
    public long floor() {
        return floor;
    }

    /** Makes a state readable; its events must be in the ring already. */
    public void publish(ReadPoint point) {
        assert point.revision() >= committed.revision() : "committed revision went back";
        committed = point;
        waiters.reached(point.revision());
    }

    /**
     * Ends when a revision is committed, on the publisher's thread: what hangs on it must be short.
     */
    public CompletableFuture<Void> await(long revision) {
        if (committed.revision() >= revision) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> waiter = waiters.add(revision);
        // It may have been published in between.
        waiters.reached(committed.revision());
        return waiter;
    }

    /** Moves the floor up, once it is durable. */
    public void raiseFloor(long revision) {
        assert revision >= floor : "compaction floor went back";
        floor = revision;
    }
}
