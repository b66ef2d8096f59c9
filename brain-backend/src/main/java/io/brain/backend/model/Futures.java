package io.brain.backend.model;

import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** Adds to {@link CompletionStage}. */
public final class Futures {
    private Futures() {}

    /** Runs an action when a stage completes; its failures are ignored. */
    public static <T> void onEnd(
            CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> action) {
        stage.whenComplete(action);
    }
}
