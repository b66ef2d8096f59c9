package io.brain.server.http;

import io.brain.backend.Backend;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.read.Reply;
import io.brain.backend.runtime.Scheduler;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * What health is told by: reads that end within {@link #ANSWER_MAX}, however long the storage takes
 * its time. Thread-safe.
 */
public final class HealthReads {
    /** So that who asks once a second knows of a storage that stopped two seconds ago. */
    static final Duration ANSWER_MAX = Duration.ofMillis(1500);

    /** Less: an idle disk is written to only every so often, and who asks is to know as soon. */
    static final Duration WRITE_MAX = Duration.ofMillis(1250);

    /** Failures that come of this process, and may be gone in the next one. */
    private static final Set<ErrorKind> RESTART_HELPS =
            EnumSet.of(ErrorKind.STOPPED, ErrorKind.INTERNAL);

    /** Cheap to read, wherever the data are: one key that need not exist. */
    private static final RangeQuery LOCAL_READ =
            new RangeQuery(
                    KeySpan.of(Bytes.wrap(new byte[1])),
                    1,
                    0,
                    SortOrder.NONE,
                    SortTarget.KEY,
                    true,
                    false,
                    true,
                    RevisionFilter.NONE);

    private final Backend backend;
    private final Scheduler scheduler;
    private final LongSupplier oldestWriteNanos;

    /**
     * Reads of a backend.
     *
     * @param scheduler for the time limit
     * @param oldestWriteNanos for how long the storage has not ended a write; 0 if none is under
     *     way
     */
    public HealthReads(Backend backend, Scheduler scheduler, LongSupplier oldestWriteNanos) {
        this.backend = backend;
        this.scheduler = scheduler;
        this.oldestWriteNanos = oldestWriteNanos;
    }

    /** A read of what this node has; fails with TIMEOUT if it takes too long. */
    CompletableFuture<Void> local() {
        return inTime(Reply.released(backend.range(LOCAL_READ)));
    }

    /**
     * A read of the newest state, as above. It also fails while a write waits for too long: reads
     * of what is in memory go on when a disk has stopped, and writes do not.
     */
    CompletableFuture<Void> linearizable() {
        long waited = oldestWriteNanos.getAsLong();
        if (waited > WRITE_MAX.toNanos()) {
            String seconds = String.format(Locale.ROOT, "%.1f", waited / 1e9);
            return CompletableFuture.failedFuture(
                    new CheckList.FailedCheck(
                            "the storage has not ended a write for " + seconds + " s"));
        }
        return inTime(backend.checkReadable());
    }

    /** Ends normally unless a local read fails for a reason that a restart may remove. */
    CompletableFuture<Void> alive() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Futures.onEnd(
                local(),
                (done, failure) -> {
                    if (failure != null && RESTART_HELPS.contains(Failures.of(failure).kind())) {
                        end.completeExceptionally(failure);
                    } else {
                        end.complete(null);
                    }
                });
        return end;
    }

    private CompletableFuture<Void> inTime(CompletableFuture<Void> read) {
        if (read.isDone()) {
            return read;
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        Scheduler.Timer timer =
                scheduler.schedule(
                        ANSWER_MAX,
                        Runnable::run,
                        () -> {
                            end.completeExceptionally(new BackendException(ErrorKind.TIMEOUT));
                            read.cancel(false);
                        });
        Futures.onEnd(
                read,
                (done, failure) -> {
                    timer.cancel();
                    if (failure == null) {
                        end.complete(null);
                    } else {
                        end.completeExceptionally(failure);
                    }
                });
        return end;
    }
}
