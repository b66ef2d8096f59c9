package io.brain.backend.txn;

import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import java.util.BitSet;
import java.util.List;

/**
 * Which branch every transaction of a nest takes: the outermost one, then the nested ones of its
 * branch in order, each followed by its own. All decided on the state before the outermost one.
 */
final class TxnPath {
    private final BitSet succeeded = new BitSet();
    private int count;

    private TxnPath() {}

    /** Decides the compares of every transaction that will run. */
    static TxnPath decide(Txn txn, TxnContext turn) {
        TxnPath path = new TxnPath();
        path.add(txn, turn);
        return path;
    }

    /** Goes along the path once, in the order in which it was decided. */
    Walk walk() {
        return new Walk();
    }

    /** The steps of the branch that is taken. */
    static List<Op> branch(Txn txn, boolean succeeded) {
        return succeeded ? txn.success() : txn.failure();
    }

    private void add(Txn txn, TxnContext turn) {
        boolean holds = Compares.hold(txn.compares(), turn);
        succeeded.set(count++, holds);
        for (Op op : branch(txn, holds)) {
            if (op instanceof Op.Nested nested) {
                add(nested.txn(), turn);
            }
        }
    }

    /** One walk along the path. */
    final class Walk {
        private int next;

        private Walk() {}

        /** True if the next transaction's compares hold. */
        boolean next() {
            return succeeded.get(next++);
        }
    }
}
