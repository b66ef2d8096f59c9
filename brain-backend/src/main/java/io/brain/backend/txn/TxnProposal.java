package io.brain.backend.txn;

import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A client's transaction on its way to the sequencer.
 *
 * @param finish has the reads made that were put off
 */
public record TxnProposal<T>(Txn txn, TxnEvaluator evaluator, Function<TxnAnswer, Answer<T>> finish)
        implements Proposal<T> {
    @Override
    public Answer<T> evaluate(TxnContext turn) {
        return finish.apply(evaluator.evaluate(txn, turn));
    }

    @Override
    public void nameKeys(Consumer<Bytes> keys) {
        nameKeys(txn, keys);
    }

    private static void nameKeys(Txn txn, Consumer<Bytes> keys) {
        for (Compare compare : txn.compares()) {
            name(compare.span(), keys);
        }
        name(txn.success(), keys);
        name(txn.failure(), keys);
    }

    private static void name(List<Op> ops, Consumer<Bytes> keys) {
        for (Op op : ops) {
            if (op instanceof Op.Put put) {
                keys.accept(put.key());
            } else if (op instanceof Op.Delete delete) {
                name(delete.span(), keys);
            } else if (op instanceof Op.Nested nested) {
                nameKeys(nested.txn(), keys);
            }
        }
    }

    private static void name(KeySpan span, Consumer<Bytes> keys) {
        if (span.single()) {
            keys.accept(span.key());
        }
    }
}
