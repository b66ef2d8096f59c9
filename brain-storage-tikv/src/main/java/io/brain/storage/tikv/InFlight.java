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
 * committed: a reader or writer that meets a lock of one waits for it a moment rather than
 * resolving it. Reads of other keys do not wait. As many as commits can be in flight. Thread-safe.
 */
final class InFlight {
    /** By start timestamp. */
    private final Map<Long, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

    private final Duration waitMax;

    /**
     * @param waitMax afterwards the locks are resolved like those of any other process
     */
    InFlight(Duration waitMax) {
        this.waitMax = waitMax;
    }

    void begin(long startTs) {
        open.put(startTs, new CompletableFuture<>());
    }

    /** The second call does nothing. */
    void end(long startTs) {
        CompletableFuture<Void> done = open.remove(startTs);
        if (done != null) {
            done.complete(null);
        }
    }

    /** Waits for one transaction; false if it is none of these, or did not end in time. */
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
