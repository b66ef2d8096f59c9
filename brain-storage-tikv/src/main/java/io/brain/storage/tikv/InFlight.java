package io.brain.storage.tikv;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Transactions of this process that are committed, but not yet at all of their keys: whoever reads
 * or writes those waits a moment rather than meeting their locks. As many as commits can be on
 * their way. Thread-safe.
 */
final class InFlight {
    private record Secondaries(long commitTs, CompletableFuture<Void> done) {}

    /** By start timestamp. */
    private final ConcurrentSkipListMap<Long, Secondaries> open = new ConcurrentSkipListMap<>();

    private final Duration waitMax;

    /**
     * @param waitMax afterwards the locks are dealt with like anybody's
     */
    InFlight(Duration waitMax) {
        this.waitMax = waitMax;
    }

    void begin(long startTs, long commitTs) {
        open.put(startTs, new Secondaries(commitTs, new CompletableFuture<>()));
    }

    void end(long startTs) {
        open.remove(startTs).done().complete(null);
    }

    /** Waits until what a reader at {@code timestamp} sees is at all of its keys. */
    void awaitReadable(long timestamp) {
        for (Secondaries secondaries : open.headMap(timestamp).values()) {
            if (secondaries.commitTs() <= timestamp) {
                await(secondaries);
            }
        }
    }

    /** Waits for one transaction; false if it is none of these. */
    boolean awaitEnd(long startTs) {
        Secondaries secondaries = open.get(startTs);
        return secondaries != null && await(secondaries);
    }

    private boolean await(Secondaries secondaries) {
        try {
            secondaries.done().get(waitMax.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("never completed exceptionally", e);
        }
    }
}
