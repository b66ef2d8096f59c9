package io.brain.backend.store;

import java.util.concurrent.CompletableFuture;

/**
 * The one place that orders read points: by revision, then by timestamp, never below the compaction
 * floor. Batches, the leader's stream, the store and a promotion only report what they saw; nothing
 * ever goes back. ReadWindow by any thread; {@link #publish} and {@link #raiseFloor} are for the
 * publisher.
 */
public final class Revisions {
    private final RevisionWaiters waiters = new RevisionWaiters();
    private volatile ReadWindow window;

    /**
     * Starts from what recovery found.
     *
     * @param floor the compaction floor that was found with the point; -1 if nothing was ever
     *     compacted
     */
    public Revisions(ReadPoint committed, long floor) {
        window = new ReadWindow(committed, -1).with(committed, floor);
    }

    /** The newest state that may be read, and the floor that goes with it. */
    public ReadWindow window() {
        return window;
    }

    /** The newest state that may be read. */
    public ReadPoint committed() {
        return window.newest();
    }

    /** The oldest revision that may be read; -1 if nothing was ever compacted. */
    public long floor() {
        return window.floor();
    }

    /** Makes a state readable; its events must be in the ring already. */
    public void publish(ReadPoint point) {
        publish(point, -1);
    }

    /**
     * Takes in a state that was seen, and the floor that was seen with it; events that are in the
     * ring must be there already.
     *
     * @return true if the newest state moved
     */
    public boolean publish(ReadPoint seen, long floor) {
        ReadWindow before = window;
        ReadWindow now = before.with(seen, floor);
        window = now;
        waiters.reached(now.newest().revision());
        return !now.newest().equals(before.newest());
    }

    /**
     * Ends when a revision is committed, on the publisher's thread: what hangs on it must be short.
     */
    public CompletableFuture<Void> await(long revision) {
        if (committed().revision() >= revision) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> waiter = waiters.add(revision);
        // It may have been published in between.
        waiters.reached(committed().revision());
        return waiter;
    }

    /** Moves the floor up to a committed revision, once that is durable. */
    public void raiseFloor(long revision) {
        publish(committed(), revision);
    }
}
