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
 * A client's transaction as a proposal.
 *
 * @param finish starts the deferred reads of the answer
 */
public record TxnProposal<T>(Txn txn, TxnEvaluator evaluator, Function<TxnAnswer, Answer<T>> finish)
        implements Proposal<T> {
    @Override
    public Answer<T> evaluate(TxnContext context) {
        return finish.apply(evaluator.evaluate(txn, context));
    }

    @Override
    public void collectKeys(Consumer<Bytes> keys) {
        collect(txn, keys);
    }

    private static void collect(Txn txn, Consumer<Bytes> keys) {
        for (Compare compare : txn.compares()) {
            collect(compare.span(), keys);
        }
        collect(txn.success(), keys);
        collect(txn.failure(), keys);
    }

    private static void collect(List<Op> ops, Consumer<Bytes> keys) {
        for (Op op : ops) {
            if (op instanceof Op.Put put) {
                keys.accept(put.key());
            } else if (op instanceof Op.Delete delete) {
                collect(delete.span(), keys);
            } else if (op instanceof Op.Nested nested) {
                collect(nested.txn(), keys);
            }
        }
    }

    private static void collect(KeySpan span, Consumer<Bytes> keys) {
        if (span.single()) {
            keys.accept(span.key());
        }
    }
}
