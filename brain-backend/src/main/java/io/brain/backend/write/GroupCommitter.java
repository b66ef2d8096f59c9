package io.brain.backend.write;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.runtime.Scheduler;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Brings one batch at a time to a definite end. An uncertain commit is settled, as often as it
 * takes; a batch that surely did not land is sent again as it is, while the fence is ours.
 * Sequencer thread only: the engine's answers come back through the executor handed in.
 */
final class GroupCommitter {
    private static final Duration PAUSE_MIN = Duration.ofMillis(5);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    /**
     * Requests of a batch up to which this thread may do the engine's work: to wake another one
     * costs more than evaluating that many at the same time gains.
     */
    static final int IN_PLACE_MAX = 2;

    /**
     * As many batches before must have been as small: of many clients the first few that ask again
     * are not all there is, and what they cut a batch into costs a sync each.
     */
    static final int SMALL_BEFORE = 16;

    /** How batches end. */
    interface Ends {
        /** The batch is durable. */
        void committed(CommitBatch batch, long timestamp);

        /** The batch will never land; the one behind it could. */
        void refused(CommitBatch batch, StorageException cause);

        /** No batch of ours can land any more, the one on its way included. */
        void lost(ErrorKind why, Throwable cause);
    }

    private final KvStorage storage;
    private final Executor back;
    private final Scheduler scheduler;
    private final WriteTimes times;
    private CommitBatch flying;
    private Ends ends;
    private int smallBefore = SMALL_BEFORE;
    private Duration pause = PAUSE_MIN;

    /**
     * Knows of no batch yet.
     *
     * @param back brings the engine's answers to the sequencer thread; takes every task
     */
    GroupCommitter(KvStorage storage, Executor back, Scheduler scheduler, WriteTimes times) {
        this.storage = storage;
        this.back = back;
        this.scheduler = scheduler;
        this.times = times;
    }

    /** The batch on its way; null if there is none. */
    CommitBatch flying() {
        return flying;
    }

    /**
     * Sends a sealed batch; none may be on its way.
     *
     * @param idle true if nothing else is known that this thread could do meanwhile
     */
    void send(CommitBatch batch, boolean idle, Ends whatThen) {
        assert flying == null : "two batches in flight";
        flying = batch;
        ends = whatThen;
        pause = PAUSE_MIN;
        times.sent(batch);
        boolean small = batch.requests().size() <= IN_PLACE_MAX;
        boolean inPlace = idle && small && smallBefore == SMALL_BEFORE;
        smallBefore = small ? Math.min(smallBefore + 1, SMALL_BEFORE) : 0;
        WriteBatch sealed = batch.sealed();
        answers(batch, inPlace ? storage.commitInPlace(sealed) : storage.commit(sealed));
    }

    /** Takes no further part in how the batch on its way ends. */
    void stop() {
        flying = null;
    }

    private void answers(CommitBatch batch, CompletionStage<CommitResult> commit) {
        commit.whenComplete(
                (result, failure) ->
                        whileFlying(batch, () -> resolve(batch, known(result, failure), true)));
    }

    private void retry(CommitBatch batch) {
        times.listener().batchRetried();
        answers(batch, storage.commit(batch.sealed()));
    }

    private void settle(CommitBatch batch) {
        times.listener().batchSettled();
        storage.resolve(batch.sealed())
                .whenComplete(
                        (result, failure) ->
                                whileFlying(
                                        batch,
                                        () -> resolve(batch, known(result, failure), false)));
    }

    /** Goes on with a batch on the sequencer thread, if nobody has given it up by then. */
    private void whileFlying(CommitBatch batch, Runnable step) {
        back.execute(
                () -> {
                    if (flying == batch) {
                        step.run();
                    }
                });
    }

    private void resolve(CommitBatch batch, CommitResult result, boolean justSent) {
        if (result instanceof CommitResult.Committed committed) {
            flying = null;
            times.committed();
            ends.committed(batch, committed.timestamp());
        } else if (result instanceof CommitResult.Conflict) {
            ends.lost(ErrorKind.LEADER_CHANGED, null);
        } else if (result instanceof CommitResult.Unavailable unavailable) {
            unavailable(batch, unavailable.cause());
        } else if (justSent) {
            settle(batch);
        } else if (result instanceof CommitResult.Uncertain uncertain
                && uncertain.cause().kind().isLasting()) {
            // Nobody can tell how the batch ended before an operator has looked at the store.
            ends.lost(ErrorKind.STOPPED, uncertain.cause());
        } else {
            later(batch, () -> settle(batch));
        }
    }

    private void unavailable(CommitBatch batch, StorageException cause) {
        switch (cause.kind()) {
            case UNAVAILABLE -> later(batch, () -> retry(batch));
            case NO_SPACE, TOO_LARGE -> {
                flying = null;
                times.listener().batchRefused();
                ends.refused(batch, cause);
            }
            case CORRUPT, REFUSED, CLOSED -> ends.lost(Failures.of(cause.kind()), cause);
        }
    }

    private void later(CommitBatch batch, Runnable step) {
        Duration delay = pause;
        Duration twice = delay.multipliedBy(2);
        pause = twice.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : twice;
        scheduler.schedule(delay, Runnable::run, () -> whileFlying(batch, step));
    }

    /** An engine that breaks its promise to end normally has told nothing: that is uncertain. */
    private static CommitResult known(CommitResult result, Throwable failure) {
        if (failure == null) {
            return result;
        }
        return new CommitResult.Uncertain(
                new StorageException(
                        StorageException.Kind.UNAVAILABLE, "the engine failed to answer", failure));
    }
}
