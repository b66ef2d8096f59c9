package io.brain.server.standby;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Waits until this server has what the source had. One request to the source serves all reads that
 * arrived before it was sent. Thread-safe.
 */
final class SourceReads {
    /** The longest time for a read, and for a request to the source. */
    static final int WAIT_SECONDS = 7;

    private final Supplier<CompletableFuture<Long>> newestRevision;
    private final LongFunction<CompletableFuture<Void>> applied;

    /** The request in flight, and the one after it; null: none. Guarded by this. */
    private CompletableFuture<Void> request;

    private CompletableFuture<Void> next;

    /**
     * Creates an instance.
     *
     * @param newestRevision asks the source
     * @param applied completes when this server has a revision
     */
    SourceReads(
            Supplier<CompletableFuture<Long>> newestRevision,
            LongFunction<CompletableFuture<Void>> applied) {
        this.newestRevision = newestRevision;
        this.applied = applied;
    }

    /** Completes when this server has a revision; fails with TIMEOUT. */
    CompletableFuture<Void> await(long revision) {
        return inTime(applied.apply(revision));
    }

    /** Completes when everything that the source answered before is applied here. */
    CompletableFuture<Void> newest() {
        CompletableFuture<Void> first;
        synchronized (this) {
            if (request != null) {
                next = next == null ? new CompletableFuture<>() : next;
                return inTime(next.copy());
            }
            first = new CompletableFuture<>();
            request = first;
        }
        send(first);
        return inTime(first.copy());
    }

    private void send(CompletableFuture<Void> result) {
        CompletableFuture<Long> asked = newestRevision.get();
        Futures.onEnd(
                asked,
                (revision, failure) -> {
                    CompletableFuture<Void> following = advance();
                    if (following != null) {
                        send(following);
                    }
                });
        Futures.onEnd(
                asked.thenCompose(this::await),
                (done, failure) -> {
                    if (failure == null) {
                        result.complete(null);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
    }

    private synchronized CompletableFuture<Void> advance() {
        request = next;
        next = null;
        return request;
    }

    private static CompletableFuture<Void> inTime(CompletableFuture<Void> future) {
        return future.orTimeout(WAIT_SECONDS, TimeUnit.SECONDS)
                .exceptionallyCompose(
                        failure ->
                                CompletableFuture.failedFuture(
                                        isLate(failure)
                                                ? new BackendException(ErrorKind.TIMEOUT)
                                                : failure));
    }

    private static boolean isLate(Throwable failure) {
        return failure instanceof TimeoutException
                || Status.fromThrowable(failure).getCode() == Status.Code.DEADLINE_EXCEEDED;
    }
}
