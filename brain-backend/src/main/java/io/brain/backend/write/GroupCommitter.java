package io.brain.backend.write;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Commits one batch at a time, until its outcome is definite: an uncertain commit is resolved, as
 * often as necessary; a batch that was not committed is sent again unchanged. Sequencer thread
 * only; the engine's results return to it through an executor.
 */
final class GroupCommitter {
    private static final Duration BACKOFF_MIN = Duration.ofMillis(5);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(1);

    /** Receives the outcomes of batches. */
    interface Outcomes {
        /** The batch is durable; publishes it. */
        void committed(CommitBatch batch, long timestamp);

        /** The batch will never be committed; later ones can be. */
        void refused(CommitBatch batch, StorageException cause);

        /** Nothing can be committed any more; the outcome of the batch in flight is unknown. */
        void lost(ErrorKind why, Throwable cause);
    }

    private final KvStorage storage;
    private final Executor sequencer;
    private final BackendRuntime runtime;

    /** Changed after {@link #sent}, so that any thread may read both. */
    private volatile CommitBatch inFlight;

    private long sent;
    private Outcomes outcomes;
    private Duration backoff = BACKOFF_MIN;

    /**
     * Creates an idle committer.
     *
     * @param sequencer runs tasks on the sequencer thread; must accept all
     */
    GroupCommitter(KvStorage storage, Executor sequencer, BackendRuntime runtime) {
        this.storage = storage;
        this.sequencer = sequencer;
        this.runtime = runtime;
    }

    /** The batch in flight; null if there is none. */
    CommitBatch inFlight() {
        return inFlight;
    }

    /** Time since the first attempt of the batch in flight; 0 if there is none. Any thread. */
    long batchNanos() {
        if (inFlight == null) {
            return 0;
        }
        long since = sent; // before the clock, so that no age is negative
        return runtime.clock().nanos() - since;
    }

    /** Sends a sealed batch; none may be in flight. */
    void send(CommitBatch batch, Outcomes receiver) {
        assert inFlight == null : "two batches in flight";
        sent = runtime.clock().nanos();
        inFlight = batch;
        outcomes = receiver;
        backoff = BACKOFF_MIN;
        runtime.listener()
                .batchSent(batch.requests().size(), batch.bytes(), batch.fence().revision());
        commit(batch);
    }

    /** Ignores the outcome of the batch in flight. */
    void abandon() {
        inFlight = null;
    }

    private void commit(CommitBatch batch) {
        onResult(batch, storage.commit(batch.sealed()), true);
    }

    private void retry(CommitBatch batch) {
        runtime.listener().batchRetried();
        commit(batch);
    }

    private void resolve(CommitBatch batch) {
        runtime.listener().batchSettled();
        onResult(batch, storage.resolve(batch.sealed()), false);
    }

    private void onResult(CommitBatch batch, CompletionStage<CommitResult> stage, boolean first) {
        stage.whenComplete(
                (result, failure) -> {
                    CommitResult known = failure == null ? result : uncertain(failure);
                    runIfInFlight(batch, () -> handle(batch, known, first));
                });
    }

    private void runIfInFlight(CommitBatch batch, Runnable step) {
        sequencer.execute(
                () -> {
                    if (inFlight == batch) {
                        step.run();
                    }
                });
    }

    private void handle(CommitBatch batch, CommitResult result, boolean first) {
        if (result instanceof CommitResult.Committed committed) {
            inFlight = null;
            long durable = runtime.clock().nanos();
            runtime.listener().batchCommitted(durable - sent);
            outcomes.committed(batch, committed.timestamp());
            runtime.listener().batchPublished(runtime.clock().nanos() - durable);
        } else if (result instanceof CommitResult.Conflict) {
            outcomes.lost(ErrorKind.LEADER_CHANGED, null);
        } else if (result instanceof CommitResult.Unavailable unavailable) {
            notCommitted(batch, unavailable.cause());
        } else if (first) {
            resolve(batch);
        } else if (result instanceof CommitResult.Uncertain uncertain
                && uncertain.cause().kind().isLasting()) {
            // The outcome stays unknown until an operator repairs the store.
            outcomes.lost(ErrorKind.STOPPED, uncertain.cause());
        } else {
            afterBackoff(batch, () -> resolve(batch));
        }
    }

    private void notCommitted(CommitBatch batch, StorageException cause) {
        switch (cause.kind()) {
            case UNAVAILABLE -> afterBackoff(batch, () -> retry(batch));
            case NO_SPACE, TOO_LARGE -> {
                inFlight = null;
                runtime.listener().batchRefused();
                outcomes.refused(batch, cause);
            }
            case CORRUPT, REFUSED, CLOSED -> outcomes.lost(Failures.of(cause.kind()), cause);
        }
    }

    private void afterBackoff(CommitBatch batch, Runnable step) {
        Duration delay = backoff;
        Duration doubled = delay.multipliedBy(2);
        backoff = doubled.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : doubled;
        runtime.scheduler().schedule(delay, Runnable::run, () -> runIfInFlight(batch, step));
    }

    /** An engine that breaks its contract leaves the outcome open. */
    private static CommitResult uncertain(Throwable failure) {
        return new CommitResult.Uncertain(
                new StorageException(
                        StorageException.Kind.UNAVAILABLE, "the engine failed to answer", failure));
    }
}
