package io.brain.backend.txn;

import io.brain.storage.Bytes;
import java.util.function.Consumer;

/**
 * Something that is decided on the sequencer: a transaction, a lease grant, a compaction, ... Must
 * not block (but for misses of the record cache) and must not keep the turn.
 */
@FunctionalInterface
public interface Proposal<T> {
    /**
     * Decides at the tip and records changes in {@code turn}. If it throws, nothing of the turn
     * takes effect and the exception is the answer. An answer, or an exception, leaves only when
     * everything it was evaluated on is durable and published.
     */
    Answer<T> evaluate(TxnContext turn);

    /**
     * Names the keys that {@link #evaluate} will probably {@link TxnContext#get}, so that those of
     * all waiting proposals are read from the engine together. A hint: any number of keys, or none.
     */
    default void nameKeys(Consumer<Bytes> keys) {}

    /** The same proposal with a check before it, which refuses it by throwing. */
    default Proposal<T> after(Consumer<TxnContext> check) {
        Proposal<T> unchecked = this;
        return new Proposal<>() {
            @Override
            public Answer<T> evaluate(TxnContext turn) {
                check.accept(turn);
                return unchecked.evaluate(turn);
            }

            @Override
            public void nameKeys(Consumer<Bytes> keys) {
                unchecked.nameKeys(keys);
            }
        };
    }
}
