package io.brain.backend.store;

import io.brain.backend.model.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Futures that wait for a revision. Thread-safe. Not bounded here: each belongs to a request that
 * counts elsewhere.
 */
public final class RevisionWaiters {
    private final TreeMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

    /** The lowest revision of all waiters: most publications are below it. */
    private volatile long lowest = Long.MAX_VALUE;

    /** Adds a future that {@link #reached} completes; removed if it completes otherwise. */
    public synchronized CompletableFuture<Void> add(long revision) {
        CompletableFuture<Void> waiter = new CompletableFuture<>();
        waiting.computeIfAbsent(revision, key -> new ArrayList<>(1)).add(waiter);
        lowest = waiting.firstKey();
        Futures.onEnd(waiter, (done, failure) -> remove(revision, waiter));
        return waiter;
    }

    synchronized int size() {
        return waiting.values().stream().mapToInt(List::size).sum();
    }

    /** The lowest awaited revision; {@link Long#MAX_VALUE} if there is none. */
    public long lowest() {
        return lowest;
    }

    /** Completes all waiters up to {@code revision}. */
    public void reached(long revision) {
        if (revision < lowest) {
            return;
        }
        List<CompletableFuture<Void>> done = new ArrayList<>();
        synchronized (this) {
            var head = waiting.headMap(revision, true);
            head.values().forEach(done::addAll);
            head.clear();
            updateLowest();
        }
        done.forEach(waiter -> waiter.complete(null));
    }

    private synchronized void remove(long revision, CompletableFuture<Void> waiter) {
        List<CompletableFuture<Void>> same = waiting.get(revision);
        if (same != null && same.removeIf(one -> one == waiter) && same.isEmpty()) {
            waiting.remove(revision);
            updateLowest();
        }
    }

    private void updateLowest() {
        lowest = waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstKey();
    }
}
