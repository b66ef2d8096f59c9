package io.brain.backend.txn;

import io.brain.storage.Bytes;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A command that the sequencer evaluates in order with all writes: a transaction, a lease grant, a
 * compaction, ... Must not block, except for reads through its {@link TxnContext}.
 */
@FunctionalInterface
public interface Proposal<T> {
    /**
     * Evaluates the proposal and makes its changes in {@code context}, which must not be used
     * afterwards. If this throws, there are no changes and the exception is the answer. Answers and
     * exceptions are sent when everything they depend on is durable and published.
     */
    Answer<T> evaluate(TxnContext context);

    /**
     * Passes keys that {@link #evaluate} will probably read, so that those of all waiting proposals
     * are fetched together. A hint.
     */
    default void collectKeys(Consumer<Bytes> keys) {}

    /** This proposal, evaluated after {@code check}, which throws to refuse it. */
    default Proposal<T> after(Consumer<TxnContext> check) {
        Proposal<T> unchecked = this;
        return new Proposal<>() {
            @Override
            public Answer<T> evaluate(TxnContext context) {
                check.accept(context);
                return unchecked.evaluate(context);
            }

            @Override
            public void collectKeys(Consumer<Bytes> keys) {
                unchecked.collectKeys(keys);
            }
        };
    }

    /**
     * The answer to a proposal: a value, or a read of the store that starts after publication.
     *
     * @param value used if {@code afterwards} is null
     * @param afterwards starts the read; called once on the sequencer thread, must not block; may
     *     be null
     */
    record Answer<T>(T value, Supplier<? extends CompletionStage<T>> afterwards) {
        /** A value. */
        public static <T> Answer<T> of(T value) {
            return new Answer<>(value, null);
        }

        /** A read after publication. */
        public static <T> Answer<T> afterwards(Supplier<? extends CompletionStage<T>> read) {
            return new Answer<>(null, read);
        }
    }
}
