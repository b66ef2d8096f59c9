package io.brain.backend.txn;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What a proposal answers: a value, or something that needs the store (ranges of a write
 * transaction, a lease's keys) and is made once the turn is published.
 *
 * @param value the answer; used if {@code afterwards} is null
 * @param afterwards begins to make the answer; called once, on the sequencer thread, so it must not
 *     block; may be null
 */
public record Answer<T>(T value, Supplier<? extends CompletionStage<T>> afterwards) {
    /** A known answer. */
    public static <T> Answer<T> of(T value) {
        return new Answer<>(value, null);
    }

    /** An answer that is made after the turn was published. */
    public static <T> Answer<T> afterwards(Supplier<? extends CompletionStage<T>> making) {
        return new Answer<>(null, making);
    }
}
