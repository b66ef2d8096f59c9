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
}
