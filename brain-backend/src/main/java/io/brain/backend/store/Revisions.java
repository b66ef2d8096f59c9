package io.brain.backend.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The readable revisions of this node. Batches, the leader's event stream, the store and promotions
 * publish states in any order; revision, timestamp and floor never decrease. Read by any thread;
 * {@link #publish} and {@link #raiseFloor} are called by the publisher only.
 */
public final class Revisions {
    private final RevisionWaiters waiters = new RevisionWaiters();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile ReadWindow window;

    /**
     * Starts with a recovered state.
     *
     * @param floor the compaction floor of that state; -1 if never compacted
     */
    public Revisions(ReadPoint committed, long floor) {
        window = new ReadWindow(committed, -1).with(committed, floor);
    }

    /**
     * Runs {@code action} whenever the newest state or the floor changes, on the publisher's
     * thread; it must not block.
     */
    public void onPublish(Runnable action) {
        listeners.add(action);
    }

    /** The newest readable state and its floor. */
    public ReadWindow window() {
        return window;
    }

    /** The newest readable state. */
    public ReadPoint committed() {
        return window.newest();
    }

    /** The oldest readable revision; -1 if never compacted. */
    public long floor() {
        return window.floor();
    }

    /** Makes a state readable; its events must be in the event ring. */
    public void publish(ReadPoint point) {
        publish(point, -1);
    }

    /**
     * Makes a state readable, with the floor that was read with it; its events must be in the event
     * ring if they will be there at all.
     */
    public void publish(ReadPoint point, long floor) {
        ReadWindow before = window;
        ReadWindow now = before.with(point, floor);
        window = now;
        waiters.reached(now.newest().revision());
        if (!now.equals(before)) {
            listeners.forEach(Runnable::run);
        }
    }

    /** Completes when a revision is committed, on the publisher's thread: actions must be short. */
    public CompletableFuture<Void> await(long revision) {
        if (committed().revision() >= revision) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> waiter = waiters.add(revision);
        // It may have been published meanwhile.
        waiters.reached(committed().revision());
        return waiter;
    }

    /** Raises the floor to a committed revision, once that is durable. */
    public void raiseFloor(long revision) {
        publish(committed(), revision);
    }

    /**
     * The readable revisions of a node.
     *
     * @param newest the newest committed state
     * @param floor the oldest readable revision, never above the newest; -1 if never compacted
     */
    public record ReadWindow(ReadPoint newest, long floor) {
        /**
         * The maximum of this and another state. A revision that is committed at one timestamp is
         * also committed at every later one, so revision and timestamp rise independently.
         * Revisions below the floor are incomplete at a later timestamp, so the revision is at
         * least the floor.
         */
        ReadWindow with(ReadPoint seen, long seenFloor) {
            long floorNow = Math.max(floor, seenFloor);
            long revision = Math.max(Math.max(newest.revision(), seen.revision()), floorNow);
            long timestamp = Math.max(newest.timestamp(), seen.timestamp());
            return new ReadWindow(new ReadPoint(revision, timestamp), floorNow);
        }
    }
}
