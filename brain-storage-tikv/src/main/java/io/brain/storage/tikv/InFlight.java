package io.brain.storage.tikv;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Transactions of this process whose primary is committed and whose secondaries are being
 * committed. A reader or writer that meets one of their locks waits for the transaction instead of
 * resolving it. Bounded by the number of concurrent commits. Thread-safe.
 */
final class InFlight {
    /** By start timestamp. */
    private final Map<Long, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

    private final Duration waitMax;

    /**
     * @param waitMax maximum wait; then the locks are resolved as those of other processes
     */
    InFlight(Duration waitMax) {
        this.waitMax = waitMax;
    }

    void begin(long startTs) {
        open.put(startTs, new CompletableFuture<>());
    }

    /** Idempotent. */
    void end(long startTs) {
        CompletableFuture<Void> done = open.remove(startTs);
        if (done != null) {
            done.complete(null);
        }
    }

    /** Waits for a transaction; false if it is unknown or did not end in time. */
    boolean awaitEnd(long startTs) {
        CompletableFuture<Void> done = open.get(startTs);
        if (done == null) {
            return false;
        }
        try {
            done.get(waitMax.toMillis(), TimeUnit.MILLISECONDS);
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
