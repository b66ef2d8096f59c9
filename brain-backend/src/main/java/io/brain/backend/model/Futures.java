package io.brain.backend.model;

import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/** Adds to {@link CompletionStage}. */
public final class Futures {
    private Futures() {}

    /** Runs an action when a stage completes; its failures are ignored. */
    public static <T> void onEnd(
            CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> action) {
        stage.whenComplete(action);
    }

    /**
     * A result, or TIMEOUT if it takes longer than a time. The result itself goes on.
     *
     * @param executor runs what follows a timeout
     */
    public static <T> CompletableFuture<T> limited(
            CompletableFuture<T> result, Duration max, Scheduler scheduler, Executor executor) {
        CompletableFuture<T> shown = new CompletableFuture<>();
        BackendException late = new BackendException(ErrorKind.TIMEOUT);
        Scheduler.Timer timer =
                scheduler.schedule(max, executor, () -> shown.completeExceptionally(late));
        onEnd(
                result,
                (value, failure) -> {
                    timer.cancel();
                    if (failure == null) {
                        shown.complete(value);
                    } else {
                        shown.completeExceptionally(failure);
                    }
                });
        return shown;
    }
}
