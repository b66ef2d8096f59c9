package io.brain.backend.watch;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The watchers of all streams, in groups by state, and the only place that moves one from group to
 * group: an index of synced watchers, a queue of streams whose watchers are fed from the event
 * ring, a queue of watchers that need the commit log. Belongs to the hub's thread.
 */
final class WatcherGroups {
    private final int weightMax;
    private final Set<Watcher> all = new LinkedHashSet<>();
    private final Map<StreamOutput, Set<Watcher>> ring = new HashMap<>();
    private final Set<StreamOutput> ringQueue = new LinkedHashSet<>();
    private final CatchUpQueue logQueue = new CatchUpQueue();
    private WatcherIndex<Watcher> synced = new WatcherIndex<>();
    private long serial;
    private int unsynced;
    private long weight;

    /**
     * No watchers yet.
     *
     * @param weightMax greatest sum of {@link WatchRequest#weight}
     */
    WatcherGroups(int weightMax) {
        this.weightMax = weightMax;
    }

    /** True if there is room for another watcher. */
    boolean admits(WatchRequest request) {
        return weight + request.weight() <= weightMax;
    }

    /** A new watcher, in no group yet. */
    Watcher create(StreamOutput output, long id, WatchRequest request) {
        Watcher watcher = new Watcher(output, id, request, serial++);
        all.add(watcher);
        weight += request.weight();
        return watcher;
    }

    /** Ends a watcher, if it is here. */
    void remove(Watcher watcher) {
        if (all.remove(watcher)) {
            move(watcher, Watcher.State.NONE);
            weight -= watcher.request.weight();
        }
    }

    /** Makes a watcher synced that needs nothing of what synced ones have been sent. */
    void sync(Watcher watcher) {
        move(watcher, Watcher.State.SYNCED);
        watcher.replaying = false;
        synced.add(watcher.request.span(), watcher);
    }

    /**
     * Makes a watcher unsynced, to be fed from {@code revision} on, from the ring if it is there.
     */
    void unsync(Watcher watcher, long revision) {
        move(watcher, Watcher.State.RING);
        watcher.next = revision;
        ring.computeIfAbsent(watcher.output, output -> new LinkedHashSet<>()).add(watcher);
        ringQueue.add(watcher.output);
    }

    /** Makes all synced watchers unsynced that need any of these revisions. */
    void unsyncAll(long first, long last) {
        for (Watcher watcher : all) {
            if (watcher.state == Watcher.State.SYNCED && watcher.next <= last) {
                unsync(watcher, Math.max(watcher.next, first));
            }
        }
    }

    /** Queues a watcher for the commit log: its next revision is not in the ring. */
    void awaitLog(Watcher watcher) {
        move(watcher, Watcher.State.LOG);
        logQueue.add(watcher);
    }

    /** A reader of the commit log begins to read for a watcher. */
    void read(Watcher watcher) {
        move(watcher, Watcher.State.READING);
    }

    /** Cancels a watcher that needs a revision below the compact revision. */
    void compact(Watcher watcher, long floor) {
        move(watcher, Watcher.State.COMPACTED);
        watcher.output.respond(to -> to.compacted(watcher.id, floor));
    }

    private void move(Watcher watcher, Watcher.State state) {
        unsynced -= watcher.isUnsynced() ? 1 : 0;
        switch (watcher.state) {
            case SYNCED -> synced.remove(watcher.request.span(), watcher);
            case RING -> {
                Set<Watcher> ofStream = ring.get(watcher.output);
                ofStream.remove(watcher);
                if (ofStream.isEmpty()) {
                    ring.remove(watcher.output);
                }
            }
            case LOG -> logQueue.remove(watcher);
            case READING, COMPACTED, NONE -> {}
        }
        watcher.state = state;
        unsynced += watcher.isUnsynced() ? 1 : 0;
    }

    /** Queues a stream that may be able to take more events from the ring. */
    void offer(StreamOutput output) {
        ringQueue.add(output);
    }

    /** Takes the next stream out of the queue. */
    StreamOutput pollStream() {
        StreamOutput next = ringQueue.iterator().next();
        ringQueue.remove(next);
        return next;
    }

    boolean hasStreams() {
        return !ringQueue.isEmpty();
    }

    /** The next watcher of a stream to feed from the ring; null if there is none. */
    Watcher nextOf(StreamOutput output) {
        Set<Watcher> ofStream = ring.get(output);
        return ofStream == null ? null : ofStream.iterator().next();
    }

    /** Lets the stream's other watchers go first. */
    void rotate(Watcher watcher) {
        Set<Watcher> ofStream = ring.get(watcher.output);
        ofStream.remove(watcher);
        ofStream.add(watcher);
    }

    WatcherIndex<Watcher> synced() {
        return synced;
    }

    CatchUpQueue logQueue() {
        return logQueue;
    }

    /** The watchers of all groups. */
    Collection<Watcher> all() {
        return all;
    }

    /** Number of unsynced watchers. */
    int unsynced() {
        return unsynced;
    }

    /** Forgets all watchers, also after a failure that has left the groups inconsistent. */
    void clear() {
        all.forEach(watcher -> watcher.state = Watcher.State.NONE);
        all.clear();
        synced = new WatcherIndex<>();
        ring.clear();
        ringQueue.clear();
        logQueue.clear();
        unsynced = 0;
        weight = 0;
    }
}
