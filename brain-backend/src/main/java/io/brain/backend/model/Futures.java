package io.brain.backend.model;

import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** What a future's own methods do not say well. */
public final class Futures {
    private Futures() {}

    /** Has something done when a stage ends; what comes of that is nobody's concern. */
    public static <T> void onEnd(
            CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> action) {
        stage.whenComplete(action);
    }
}
