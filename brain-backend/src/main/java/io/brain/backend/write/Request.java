package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Releasable;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A submitted proposal on its way to its answer. */
final class Request<T> {
    private final Proposal<T> proposal;
    private final int wireBytes;

    /** When it was submitted, in the clock's nanoseconds. */
    private final long since;

    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** What the proposal answered; null if it failed, or was not evaluated yet. */
    private Answer<T> answer;

    private BackendException failure;

    /** True if reading ahead was tried in vain. */
    private boolean inPlace;

    Request(Proposal<T> proposal, int wireBytes, long since) {
        this.proposal = proposal;
        this.wireBytes = wireBytes;
        this.since = since;
    }

    Proposal<T> proposal() {
        return proposal;
    }

    int wireBytes() {
        return wireBytes;
    }

    long since() {
        return since;
    }

    CompletableFuture<T> future() {
        return future;
    }

    /** From now on spans are walked over on the sequencer, however wide they are. */
    void walkInPlace() {
        inPlace = true;
    }

    boolean walksInPlace() {
        return inPlace;
    }

    /** Evaluates the proposal; throws what it throws. */
    void evaluate(TxnContext turn) {
        answer = proposal.evaluate(turn);
    }

    /** The proposal failed at the tip: this is the answer, once it may leave. */
    void fails(BackendException cause) {
        answer = null;
        failure = cause;
    }

    /**
     * Sends the answer; has it made first if need be.
     *
     * @param sent called right before the answer leaves, on whatever thread that happens
     */
    void complete(Runnable sent) {
        if (failure != null) {
            sent.run();
            future.completeExceptionally(failure);
        } else if (answer.afterwards() == null) {
            sent.run();
            give(answer.value());
        } else {
            making().whenComplete(
                            (value, failed) -> {
                                sent.run();
                                if (failed == null) {
                                    give(value);
                                } else {
                                    future.completeExceptionally(Failures.of(failed));
                                }
                            });
        }
    }

    /** The receiver may have cancelled: what the value holds is then released here. */
    private void give(T value) {
        if (!future.complete(value)) {
            Releasable.discard(value);
        }
    }

    private CompletionStage<T> making() {
        try {
            return answer.afterwards().get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /** Ends the request with an error, whatever it was going to answer. */
    void fail(BackendException cause) {
        future.completeExceptionally(cause);
    }
}
