package io.brain.server.http;

import io.brain.backend.Backend;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Reads for the health checks; they complete within {@link #ANSWER_MAX} even if the storage stalls.
 * Thread-safe.
 */
public final class HealthReads {
    /** A probe that runs every second detects a stalled storage within two seconds. */
    static final Duration ANSWER_MAX = Duration.ofMillis(1500);

    /**
     * Shorter, because an idle disk is written only at intervals, and detection must not take
     * longer.
     */
    static final Duration WRITE_MAX = Duration.ofMillis(1250);

    /** Failures of this process that a restart may fix. */
    private static final Set<ErrorKind> RESTARTABLE =
            EnumSet.of(ErrorKind.STOPPED, ErrorKind.INTERNAL);

    private final Backend backend;
    private final Scheduler scheduler;
    private final LongSupplier oldestWriteNanos;

    /**
     * Creates health reads of a backend.
     *
     * @param scheduler for the timeout
     * @param oldestWriteNanos age of the oldest pending storage write; 0 if there is none
     */
    public HealthReads(Backend backend, Scheduler scheduler, LongSupplier oldestWriteNanos) {
        this.backend = backend;
        this.scheduler = scheduler;
        this.oldestWriteNanos = oldestWriteNanos;
    }

    /** A serializable read; fails with TIMEOUT after {@link #ANSWER_MAX}. */
    CompletableFuture<Void> local() {
        return withTimeout(backend.checkReadable(true));
    }

    /**
     * A linearizable read with the same timeout. Also fails while a storage write is pending for
     * longer than {@link #WRITE_MAX}: when a disk stalls, cached reads still succeed and writes do
     * not.
     */
    CompletableFuture<Void> linearizable() {
        long waited = oldestWriteNanos.getAsLong();
        if (waited > WRITE_MAX.toNanos()) {
            String seconds = String.format(Locale.ROOT, "%.1f", waited / 1e9);
            return CompletableFuture.failedFuture(
                    new CheckList.FailedCheck("storage write pending for " + seconds + " s"));
        }
        return withTimeout(backend.checkReadable(false));
    }

    /** Succeeds unless a local read fails with an error that a restart may fix. */
    CompletableFuture<Void> alive() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Futures.onEnd(
                local(),
                (done, failure) -> {
                    if (failure != null && RESTARTABLE.contains(Failures.of(failure).kind())) {
                        end.completeExceptionally(failure);
                    } else {
                        end.complete(null);
                    }
                });
        return end;
    }

    private CompletableFuture<Void> withTimeout(CompletableFuture<Void> read) {
        if (read.isDone()) {
            return read;
        }
        CompletableFuture<Void> end = Futures.limited(read, ANSWER_MAX, scheduler, Runnable::run);
        Futures.onEnd(end, (done, failure) -> read.cancel(false));
        return end;
    }
}
