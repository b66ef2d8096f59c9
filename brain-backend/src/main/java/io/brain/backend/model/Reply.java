package io.brain.backend.model;

import java.util.concurrent.CompletableFuture;

/**
 * An answer and the response bytes it holds. Whoever gets it must close {@code held} when the
 * transport has sent or dropped the answer.
 */
public record Reply<T>(T answer, Reservation held) implements Releasable {
    @Override
    public void release() {
        held.close();
    }

    /**
     * For who wants to know only whether a read works: ends as {@code read} does, and lets go of
     * its answer. Cancelling it cancels the read.
     */
    public static <T> CompletableFuture<Void> released(CompletableFuture<Reply<T>> read) {
        // Not thenAccept: what follows on a cancelled stage does not run, and would hold on.
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
