package io.brain.backend.write;

import java.util.function.Supplier;

/**
 * What a proposal answers: a value, or a computation that needs the store (ranges of a write
 * transaction, a lease's keys) and so runs on the readers' pool once the turn is published.
 *
 * @param value the answer; used if {@code afterwards} is null
 * @param afterwards makes the answer, on a reader thread; may be null
 */
public record Answer<T>(T value, Supplier<T> afterwards) {
    /** A known answer. */
    public static <T> Answer<T> of(T value) {
        return new Answer<>(value, null);
    }

    /** An answer that is read from the store after the turn was published. */
    public static <T> Answer<T> afterwards(Supplier<T> computation) {
        return new Answer<>(null, computation);
    }
}
