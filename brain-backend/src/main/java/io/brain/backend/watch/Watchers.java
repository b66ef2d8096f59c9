package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * All streams of a node and their watchers. Each watcher is in the collection of its {@link
 * Watcher.State}; only this class changes the state. Used by the hub's thread.
 */
final class Watchers {
    private final SendBudget<OpenStream> budget;
    private final int weightMax;
    private final long resumeRevisions;
    private final Set<OpenStream> streams = new LinkedHashSet<>();
    private final WatcherIndex<Watcher> synced = new WatcherIndex<>();
    private final LogQueue logQueue = new LogQueue();

    /** Streams with watchers to feed from the ring, in turn; without those that wait for room. */
    private final ArrayDeque<OpenStream> streamQueue = new ArrayDeque<>();

    private long created;
    private int size;
    private long weight;
    private int unsynced;

    /**
     * No streams.
     *
     * @param weightMax limit of the {@link WatchRequest#weight} of all watchers
     * @param resumeRevisions revisions below the compact revision that may still be read
     */
    Watchers(SendBudget<OpenStream> budget, int weightMax, long resumeRevisions) {
        this.budget = budget;
        this.weightMax = weightMax;
        this.resumeRevisions = resumeRevisions;
    }

    Set<OpenStream> streams() {
        return streams;
    }

    /** Number of watchers. */
    int size() {
        return size;
    }

    /** Number of unsynced watchers. */
    int unsynced() {
        return unsynced;
    }

    /** The synced watchers. */
    WatcherIndex<Watcher> synced() {
        return synced;
    }

    /** Watchers that wait for a reader of the commit log. */
    LogQueue logQueue() {
        return logQueue;
    }

    void open(OpenStream stream) {
        streams.add(stream);
    }

    /** Ends a stream, without a response, and its watchers. Does nothing if it was ended before. */
    void end(OpenStream stream) {
        streams.remove(stream);
        stream.end();
        budget.forget(stream);
        stream.watchers.values().forEach(this::end);
        stream.watchers.clear();
    }

    /** Ends a stream with an error. */
    void fail(OpenStream stream, BackendException cause) {
        stream.fail(cause);
        end(stream);
    }

    /** Ends all streams with an error, whatever state a failure left the collections in. */
    void failAll(BackendException cause) {
        synced.clear();
        streamQueue.clear();
        logQueue.clear();
        budget.clear();
        for (OpenStream stream : streams) {
            stream.watchers.values().forEach(watcher -> watcher.state = Watcher.State.ENDED);
            stream.watchers.clear();
            stream.ringWatchers.clear();
            stream.fail(cause);
        }
        streams.clear();
        size = 0;
        weight = 0;
        unsynced = 0;
    }

    /** True if there may be another watcher. */
    boolean hasRoom(WatchRequest request) {
        return weight + request.weight() <= weightMax;
    }

    /** Adds a watcher to a stream, in no collection yet. */
    Watcher add(OpenStream stream, long id, WatchRequest request) {
        size++;
        weight += request.weight();
        Watcher watcher = new Watcher(stream, id, request, created++);
        stream.add(watcher);
        return watcher;
    }

    /** Ends a watcher that was removed from its stream. */
    void end(Watcher watcher) {
        move(watcher, Watcher.State.ENDED);
        size--;
        weight -= watcher.request.weight();
    }

    /** Changes a watcher's state, and moves it to the collection of the new state. */
    void move(Watcher watcher, Watcher.State state) {
        OpenStream stream = watcher.stream;
        switch (watcher.state) {
            case SYNCED -> {
                synced.remove(watcher.request.span(), watcher);
                stream.synced--;
            }
            case RING -> stream.ringWatchers.remove(watcher);
            case LOG -> logQueue.remove(watcher);
            case READING, COMPACTED, ENDED -> {}
        }
        unsynced -= watcher.isUnsynced() ? 1 : 0;
        watcher.state = state;
        unsynced += watcher.isUnsynced() ? 1 : 0;
        switch (state) {
            case SYNCED -> {
                watcher.replaying = false;
                synced.add(watcher.request.span(), watcher);
                stream.synced++;
            }
            case RING -> stream.ringWatchers.add(watcher);
            case LOG -> logQueue.add(watcher);
            case READING, COMPACTED, ENDED -> {}
        }
    }

    /** The watcher continues at {@code next}, from the ring if it has that revision. */
    void feedFromRing(Watcher watcher, long next) {
        move(watcher, Watcher.State.RING);
        watcher.next = next;
        enqueue(watcher.stream);
    }

    /** True if no watcher can continue at {@code next}. */
    boolean isCompacted(long next, long compactRevision) {
        return next < compactRevision - resumeRevisions;
    }

    /** Cancels a watcher whose next revision is below the compact revision. */
    void cancelCompacted(Watcher watcher, long compactRevision) {
        move(watcher, Watcher.State.COMPACTED);
        watcher.stream.respond(to -> to.compacted(watcher.id, compactRevision));
    }

    /**
     * Synced watchers continue with the revisions from {@code first} to {@code last} as unsynced
     * ones: these revisions are in the log only.
     */
    void unsyncAll(long first, long last) {
        for (OpenStream stream : streams) {
            for (Watcher watcher : stream.watchers.values()) {
                if (watcher.state == Watcher.State.SYNCED && watcher.next <= last) {
                    feedFromRing(watcher, Math.max(watcher.next, first));
                }
            }
        }
    }

    /** Queues a stream with watchers to feed from the ring, unless it waits for the budget. */
    void enqueue(OpenStream stream) {
        if (!stream.queued && !budget.isWaiting(stream) && !stream.ringWatchers.isEmpty()) {
            stream.queued = true;
            streamQueue.add(stream);
        }
    }

    /** True if a stream can be fed from the ring, as far as known without asking its transport. */
    boolean hasNextStream() {
        return !streamQueue.isEmpty() || budget.hasNext();
    }

    /** Takes the next such stream from the queue. */
    OpenStream nextStream() {
        OpenStream stream = streamQueue.isEmpty() ? budget.next() : streamQueue.remove();
        stream.queued = false;
        return stream;
    }
}
