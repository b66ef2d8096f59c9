package io.brain.backend.write;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Reply;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A submitted proposal and its future answer. */
final class Request<T> {
    private final Proposal<T> proposal;
    private final Tenant tenant;
    private final int wireBytes;

    /** Time of submission, in the clock's nanoseconds. */
    private final long submitted;

    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** Null if the evaluation failed. */
    private Proposal.Answer<T> answer;

    private BackendException failure;

    Request(Proposal<T> proposal, Tenant tenant, int wireBytes, long submitted) {
        this.proposal = proposal;
        this.tenant = tenant;
        this.wireBytes = wireBytes;
        this.submitted = submitted;
    }

    Proposal<T> proposal() {
        return proposal;
    }

    Tenant tenant() {
        return tenant;
    }

    int wireBytes() {
        return wireBytes;
    }

    long submitted() {
        return submitted;
    }

    CompletableFuture<T> future() {
        return future;
    }

    /** Evaluates the proposal; throws what it throws. */
    void evaluate(TxnContext context) {
        answer = proposal.evaluate(context);
    }

    /** The evaluation failed: {@link #complete} will send this error. */
    void evaluationFailed(BackendException cause) {
        failure = cause;
    }

    /**
     * Sends the answer, or starts the read that makes it.
     *
     * @param beforeAnswer called right before the answer is sent, on any thread
     */
    void complete(Runnable beforeAnswer) {
        if (failure != null) {
            beforeAnswer.run();
            future.completeExceptionally(failure);
        } else if (answer.afterwards() == null) {
            beforeAnswer.run();
            send(answer.value());
        } else {
            startRead()
                    .whenComplete(
                            (value, failed) -> {
                                beforeAnswer.run();
                                if (failed == null) {
                                    send(value);
                                } else {
                                    future.completeExceptionally(Failures.of(failed));
                                }
                            });
        }
    }

    /** Releases the value if the receiver has cancelled. */
    private void send(T value) {
        if (!future.complete(value)) {
            Reply.discard(value);
        }
    }

    private CompletionStage<T> startRead() {
        try {
            return answer.afterwards().get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /** Fails the request, whether it was evaluated or not. */
    void fail(BackendException cause) {
        future.completeExceptionally(cause);
    }
}
