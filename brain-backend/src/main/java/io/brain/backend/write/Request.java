package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import java.util.concurrent.CompletableFuture;

/** A submitted proposal on its way to its answer. */
final class Request<T> {
    private final Proposal<T> proposal;
    private final int wireBytes;
    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** What the proposal answered; null if it failed, or was not evaluated yet. */
    private Answer<T> answer;

    private BackendException failure;

    Request(Proposal<T> proposal, int wireBytes) {
        this.proposal = proposal;
        this.wireBytes = wireBytes;
    }

    Proposal<T> proposal() {
        return proposal;
    }

    int wireBytes() {
        return wireBytes;
    }

    CompletableFuture<T> future() {
        return future;
    }

    /** Evaluates the proposal; throws what it throws. */
    void evaluate(Turn turn) {
        answer = proposal.evaluate(turn);
    }

    /** The proposal failed at the tip: this is the answer, once it may leave. */
    void fails(BackendException cause) {
        answer = null;
        failure = cause;
    }

    /** True if the answer has yet to be made, on a reader thread. */
    boolean isAnsweredAfterwards() {
        return answer != null && answer.afterwards() != null;
    }

    /** Sends the answer; makes it first if need be. */
    void complete() {
        if (failure != null) {
            future.completeExceptionally(failure);
        } else if (answer.afterwards() == null) {
            future.complete(answer.value());
        } else {
            try {
                future.complete(answer.afterwards().get());
            } catch (RuntimeException e) {
                future.completeExceptionally(Failures.of(e));
            }
        }
    }

    /** Ends the request with an error, whatever it was going to answer. */
    void fail(BackendException cause) {
        future.completeExceptionally(cause);
    }
}
