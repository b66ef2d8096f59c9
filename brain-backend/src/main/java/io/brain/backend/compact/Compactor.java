package io.brain.backend.compact;

import io.brain.backend.compact.CompactionStep.Piece;
import io.brain.backend.compact.CompactionStep.Tombstone;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.RevisionWaiters;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Proposal;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes versions below the compaction floor, in steps on the background threads. Progress is in
 * the store ({@link CompactRecord}), so a new leader continues where the last one stopped.
 *
 * <p>A step first deletes versions, unconditionally, as no read can see them. Then it removes
 * tombstones and records its progress, with proposals; after a crash the step is repeated. Log
 * entries are deleted last. After each commit it pauses for at least as long as the commit took, so
 * that client writes get at least half of the engine's time.
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
    private final RevisionWaiters waiters = new RevisionWaiters();
    private boolean running;
    private boolean again;
    private volatile boolean closed;
    private volatile long finished;

    /** True from the first step of a compaction until nothing is left to remove. */
    private volatile boolean removing;

    /** Start of the first step. */
    private volatile long began;

    /** Nanoseconds of the current step, without pauses. Used by the current step only. */
    private long worked;

    /** True if the backlog is too large for pauses. Used by the current step only. */
    private boolean isBehind;

    /**
     * A compactor that has not started.
     *
     * @param submit submits a proposal to the sequencer
     * @param oldestInUse the oldest revision that a read needs, even below the floor; {@link
     *     Long#MAX_VALUE} if there is none
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

    /** Continues the compaction of an earlier leader. */
    public void start() {
        wake();
    }

    /** Raises the floor, which starts the removal; fails with COMPACTED or FUTURE_REVISION. */
    public Proposal<Long> compact(long revision) {
        return CompactProposals.raiseFloor(
                revision,
                store.coder(),
                floor -> {
                    store.revisions().raiseFloor(floor);
                    wake();
                });
    }

    /**
     * Completes when the removal of a compaction at {@code revision} is finished, or when this
     * compactor is closed: the next leader's goes on.
     */
    public CompletableFuture<Void> removed(long revision) {
        CompletableFuture<Void> removed;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.completedFuture(null);
            }
            removed = waiters.add(revision);
        }
        wake();
        return removed;
    }

    /** Progress, for metrics. Any thread. */
    public CompactStats stats() {
        return new CompactStats(finished, removing);
    }

    /** Stops after the current commit. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        waiters.reached(Long.MAX_VALUE);
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

    /** Schedules the next step. */
    private void next(Progress progress, Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            LOG.warn("compaction step failed error={}", Failures.cause(failure).toString());
            trim.startOver();
        } else if (progress == Progress.NONE && !runsAgain()) {
            return;
        }
        boolean waits = failure != null || progress == Progress.PREVENTED;
        Duration pause = waits ? settings.retryPause() : Duration.ZERO;
        runtime.scheduler().schedule(pause, runtime.background(), this::run);
    }

    /** False if there was no {@link #wake} since the last step began. */
    private synchronized boolean runsAgain() {
        running = again;
        again = false;
        return running;
    }

    private CompletionStage<Progress> step() {
        try (Snapshot snapshot = store.open()) {
            CompactRecord record = CompactRecord.decode(snapshot.get(store.coder().compactKey()));
            long from = record.finished();
            finished = from;
            // Reads check the published floor before they return, so it must be published.
            long floor = Math.min(record.floor(), store.revisions().floor());
            long target = Math.min(floor, oldestInUse.getAsLong());
            if (from >= target) {
                Progress progress = from < floor ? Progress.PREVENTED : Progress.NONE;
                return trimLog(from).thenApply(none -> stepped(from, progress));
            }
            long now = runtime.clock().nanos();
            began = removing ? began : now;
            removing = true;
            worked = 0;
            isBehind = floor - from > settings.restlessRevisions();
            long awaited = waiters.lowest();
            long end = awaited > from ? Math.min(awaited, target) : target;
            CompactionStep step =
                    CompactionStep.plan(
                            snapshot, store.coder(), from, end, settings.stepRevisionsMax());
            return pieces(step)
                    .thenApply(
                            none -> {
                                finished = step.through();
                                waiters.reached(finished);
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
                    .thenCompose(none -> trimLog(step.through()));
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

    /** Pauses for at least the time since {@code since}, unless compaction is behind. */
    private CompletableFuture<Void> rest(long since) {
        long nanos = runtime.clock().nanos() - since;
        worked += nanos;
        Duration length = Duration.ofNanos(Math.max(nanos, settings.rest().toNanos()));
        CompletableFuture<Void> end = new CompletableFuture<>();
        runtime.scheduler()
                .schedule(
                        isBehind ? Duration.ZERO : length,
                        runtime.background(),
                        () -> end.complete(null));
        return end;
    }

    private CompletableFuture<Void> delete(Set<Bytes> versions) {
        if (versions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        WriteBatch.Builder deletes = WriteBatch.builder();
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

    private CompletableFuture<Void> trimLog(long through) {
        return trimBelow(through - settings.logRevisionsKept());
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
                .thenAccept(Compactor::requireCommitted)
                .toCompletableFuture();
    }

    private static void requireCommitted(CommitResult result) {
        if (result instanceof CommitResult.Unavailable unavailable) {
            throw unavailable.cause();
        }
        if (result instanceof CommitResult.Uncertain uncertain) {
            throw uncertain.cause();
        }
        if (result instanceof CommitResult.Conflict) {
            throw new IllegalStateException("conflict of unconditional deletes");
        }
    }

    private Progress stepped(long through, Progress progress) {
        waiters.reached(through);
        if (progress == Progress.NONE && removing) {
            removing = false;
            runtime.listener().compactionEnded(runtime.clock().nanos() - began);
        }
        return progress;
    }

    /** Result of a step. */
    private enum Progress {
        STEP,
        PREVENTED,
        NONE
    }
}
