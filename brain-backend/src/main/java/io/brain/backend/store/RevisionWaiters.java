package io.brain.backend.store;

import io.brain.backend.model.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Those who wait until a revision is committed, as this node knows it. Thread-safe. Their number is
 * bounded by who waits: each is a request that counts elsewhere.
 */
final class RevisionWaiters {
    private final TreeMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

    /** The lowest revision that is waited for; most publications need no look at the rest. */
    private volatile long lowest = Long.MAX_VALUE;

    /** Ends when {@link #reached} says so; forgotten if it is ended by somebody else. */
    synchronized CompletableFuture<Void> add(long revision) {
        CompletableFuture<Void> waiter = new CompletableFuture<>();
        waiting.computeIfAbsent(revision, key -> new ArrayList<>(1)).add(waiter);
        lowest = waiting.firstKey();
        Futures.onEnd(waiter, (done, failure) -> forget(revision, waiter));
        return waiter;
    }

    /** How many wait. */
    synchronized int size() {
        return waiting.values().stream().mapToInt(List::size).sum();
    }

    private synchronized void forget(long revision, CompletableFuture<Void> waiter) {
        List<CompletableFuture<Void>> same = waiting.get(revision);
        if (same != null && same.removeIf(one -> one == waiter) && same.isEmpty()) {
            waiting.remove(revision);
            lowest = waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstKey();
        }
    }

    /** Lets everybody go who waits for {@code revision} or a lower one. */
    void reached(long revision) {
        if (revision < lowest) {
            return;
        }
        List<CompletableFuture<Void>> done = new ArrayList<>();
        synchronized (this) {
            var head = waiting.headMap(revision, true);
            head.values().forEach(done::addAll);
            head.clear();
            lowest = waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstKey();
        }
        done.forEach(waiter -> waiter.complete(null));
    }
}
