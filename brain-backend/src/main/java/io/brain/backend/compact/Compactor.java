package io.brain.backend.compact;

import io.brain.backend.compact.CompactionStep.Piece;
import io.brain.backend.compact.CompactionStep.Tombstone;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Proposal;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes, step by step on the background threads, what lies below the compaction floor. All that
 * it must remember is in the store ({@link CompactRecord}), so a new leader goes on where the last
 * one stopped.
 *
 * <p>A step first deletes versions, unconditionally and without a sync of its own: nobody can read
 * them any more. Then it has dead keys forgotten, and what it did recorded, by ordinary writes; if
 * a crash comes in between, the step is done again. The log entries go last. After each of these
 * writes it rests, so that writes of clients have the engine for at least as long.
 */
public final class Compactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

    private final Store store;
    private final Function<Proposal<Void>, CompletableFuture<Void>> submit;
    private final LongSupplier oldestInUse;
    private final BackendRuntime runtime;
    private final CompactSettings settings;
    private final LogTrim trim;
    private final int batchBytesMax;
    private final List<Waiter> waiters = new ArrayList<>();
    private boolean running;
    private boolean again;
    private volatile boolean closed;
    private volatile long finished;

    /** True from the first step of a compaction until nothing below the floor is left. */
    private volatile boolean removing;

    /** When that began. */
    private volatile long began;

    /** Of this step, without rests; nanoseconds. Of whoever does the step, as is the next. */
    private long worked;

    /** True if so much is left to do that there is no rest. */
    private boolean isBehind;

    /**
     * A compactor that does nothing until {@link #start}.
     *
     * @param submit hands a proposal to the sequencer
     * @param oldestInUse the oldest revision that a read still needs whole, whatever the floor;
     *     {@link Long#MAX_VALUE} if there is none
     */
    public Compactor(
            Store store,
            Function<Proposal<Void>, CompletableFuture<Void>> submit,
            LongSupplier oldestInUse,
            BackendRuntime runtime,
            CompactSettings settings) {
        this.store = store;
        this.submit = submit;
        this.oldestInUse = oldestInUse;
        this.runtime = runtime;
        this.settings = settings;
        this.trim = new LogTrim(store.coder());
        boolean remote = store.storage().traits().contains(StorageTrait.REMOTE);
        this.batchBytesMax = remote ? settings.remoteBatchBytesMax() : settings.batchBytesMax();
    }

    /** Goes on with what an earlier leader left to do. */
    public void start() {
        wake();
    }

    /**
     * Raises the floor to {@code revision}: COMPACTED if it is there or above, FUTURE_REVISION if
     * there is no such revision yet. The removal then begins by itself.
     */
    public Proposal<Long> compact(long revision) {
        return CompactProposals.raiseFloor(
                revision,
                store.coder(),
                floor -> {
                    store.revisions().raiseFloor(floor);
                    wake();
                });
    }

    /** Ends when everything up to a compaction at {@code revision} is removed. */
    public CompletableFuture<Void> removed(long revision) {
        CompletableFuture<Void> removed = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new BackendException(ErrorKind.LEADER_CHANGED));
            }
            waiters.add(new Waiter(revision, removed));
        }
        wake();
        return removed;
    }

    /** How far it has got. Any thread. */
    public CompactStats stats() {
        return new CompactStats(finished, removing);
    }

    /** Stops after the write that is on its way; who waits for a removal gets LEADER_CHANGED. */
    @Override
    public void close() {
        List<Waiter> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiters);
            waiters.clear();
        }
        left.forEach(
                waiter ->
                        waiter.done()
                                .completeExceptionally(
                                        new BackendException(ErrorKind.LEADER_CHANGED)));
    }

    private void wake() {
        synchronized (this) {
            if (running) {
                again = true;
                return;
            }
            running = true;
        }
        runtime.background().execute(this::run);
    }

    private void run() {
        if (closed) {
            return;
        }
        step().whenComplete((more, failure) -> next(more, failure));
    }

    /** Decides what comes after a step. */
    private void next(Progress progress, Throwable failure) {
        if (closed) {
            return;
        }
        Duration pause;
        if (failure != null) {
            LOG.warn(
                    "a compaction step failed, will try again: {}",
                    Failures.cause(failure).toString());
            trim.startOver();
            pause = settings.retryPause();
        } else if (progress == Progress.STEP) {
            pause = Duration.ZERO; // a step rests by itself
        } else if (progress == Progress.HELD_UP) {
            pause = settings.retryPause();
        } else {
            synchronized (this) {
                running = again;
                if (!again) {
                    return;
                }
                again = false;
            }
            pause = Duration.ZERO;
        }
        runtime.scheduler().schedule(pause, runtime.background(), this::run);
    }

    private CompletionStage<Progress> step() {
        try (Snapshot snapshot = store.open()) {
            CompactRecord record = CompactRecord.decode(snapshot.get(store.coder().compactKey()));
            long from = record.finished();
            finished = from;
            // The floor must be published too: readers look at it before they answer.
            long floor = Math.min(record.floor(), store.revisions().floor());
            long target = Math.min(floor, oldestInUse.getAsLong());
            if (from >= target) {
                Progress progress = from < floor ? Progress.HELD_UP : Progress.NONE;
                return trimBelow(from).thenApply(none -> told(from, progress));
            }
            long now = runtime.clock().nanos();
            began = removing ? began : now;
            removing = true;
            worked = 0;
            isBehind = floor - from > settings.restlessRevisions();
            CompactionStep step =
                    CompactionStep.plan(
                            snapshot, store.coder(), from, target, settings.stepRevisionsMax());
            return pieces(step)
                    .thenApply(
                            none -> {
                                finished = step.through();
                                runtime.listener().compactedTo(step.through(), worked);
                                return Progress.STEP;
                            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Void> pieces(CompactionStep step) {
        if (!step.hasNext()) {
            long now = runtime.clock().nanos();
            return submit.apply(
                            CompactProposals.finish(step.through(), step.bytes(), store.coder()))
                    .thenCompose(none -> rest(now))
                    .thenCompose(none -> trimBelow(step.through()));
        }
        long now = runtime.clock().nanos();
        Piece piece;
        try (Snapshot snapshot = store.open()) {
            piece = step.next(snapshot, batchBytesMax);
        }
        return delete(piece.versions())
                .thenRun(() -> runtime.listener().versionsRemoved(piece.versions().size()))
                .thenCompose(none -> rest(now))
                .thenCompose(none -> forget(piece.tombstones(), 0))
                .thenCompose(none -> pieces(step));
    }

    /**
     * Leaves as much time to the writes that share engine, disk and processors as was worked since
     * {@code since}; unless that is how it would never come to an end. Goes on on the background
     * threads.
     */
    private CompletableFuture<Void> rest(long since) {
        long nanos = runtime.clock().nanos() - since;
        worked += nanos;
        Duration length = Duration.ofNanos(Math.max(nanos, settings.rest().toNanos()));
        CompletableFuture<Void> over = new CompletableFuture<>();
        runtime.scheduler()
                .schedule(
                        isBehind ? Duration.ZERO : length,
                        runtime.background(),
                        () -> over.complete(null));
        return over;
    }

    private CompletableFuture<Void> delete(Set<Bytes> versions) {
        if (versions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        WriteBatch.Builder deletes = WriteBatch.builder().unsynced();
        versions.forEach(deletes::delete);
        return commit(deletes.build());
    }

    private CompletableFuture<Void> forget(List<Tombstone> tombstones, int from) {
        if (from >= tombstones.size()) {
            return CompletableFuture.completedFuture(null);
        }
        long now = runtime.clock().nanos();
        int to = Math.min(from + settings.turnTombstonesMax(), tombstones.size());
        return submit.apply(CompactProposals.forget(tombstones.subList(from, to)))
                .thenCompose(none -> rest(now))
                .thenCompose(none -> forget(tombstones, to));
    }

    private CompletableFuture<Void> trimBelow(long revision) {
        long now = runtime.clock().nanos();
        WriteBatch deletes;
        try (Snapshot snapshot = store.open()) {
            deletes = trim.next(revision, snapshot, batchBytesMax);
        }
        if (deletes == null) {
            return CompletableFuture.completedFuture(null);
        }
        return commit(deletes)
                .thenCompose(none -> rest(now))
                .thenCompose(none -> trimBelow(revision));
    }

    private CompletableFuture<Void> commit(WriteBatch deletes) {
        if (closed) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.LEADER_CHANGED));
        }
        return store.storage()
                .commit(deletes)
                .thenAccept(Compactor::mustBeCommitted)
                .toCompletableFuture();
    }

    private static void mustBeCommitted(CommitResult result) {
        if (result instanceof CommitResult.Unavailable unavailable) {
            throw unavailable.cause();
        }
        if (result instanceof CommitResult.Uncertain uncertain) {
            throw uncertain.cause();
        }
        if (result instanceof CommitResult.Conflict) {
            throw new IllegalStateException("a conflict over deletes that expect nothing");
        }
    }

    private Progress told(long through, Progress progress) {
        List<Waiter> done;
        synchronized (this) {
            done = waiters.stream().filter(waiter -> waiter.revision() <= through).toList();
            waiters.removeAll(done);
        }
        done.forEach(waiter -> waiter.done().complete(null));
        if (progress == Progress.NONE && removing) {
            removing = false;
            runtime.listener().compactionEnded(runtime.clock().nanos() - began);
        }
        return progress;
    }

    /** What a step did. */
    private enum Progress {
        STEP,
        HELD_UP,
        NONE
    }

    private record Waiter(long revision, CompletableFuture<Void> done) {}
}
