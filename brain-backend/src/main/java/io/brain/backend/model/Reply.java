package io.brain.backend.model;

import java.util.concurrent.CompletableFuture;

/**
 * An answer and the response bytes reserved for it. The receiver must close {@code held} when the
 * transport has sent or dropped the answer.
 */
public record Reply<T>(T answer, Reservation held) {
    /** Closes the reservation of an answer without a receiver, if it has one. */
    public static void discard(Object answer) {
        if (answer instanceof Reply<?> reply) {
            reply.held.close();
        }
    }

    /** Completes as {@code read} does, without its answer. Cancelling it cancels the read. */
    public static <T> CompletableFuture<Void> released(CompletableFuture<Reply<T>> read) {
        // Not thenAccept: it would not run after a cancellation, and keep the reservation.
        CompletableFuture<Void> end = new CompletableFuture<>();
        Futures.onEnd(
                read,
                (reply, failure) -> {
                    if (failure == null) {
                        reply.held().close();
                        end.complete(null);
                    } else {
                        end.completeExceptionally(failure);
                    }
                });
        Futures.onEnd(end, (done, failure) -> read.cancel(false));
        return end;
    }
}
