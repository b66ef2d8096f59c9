package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Pins;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Evaluates a transaction in etcd's order: first all compares against the state before it, which
 * select the branches, then all checks against that state, then the operations. Sequencer thread
 * only.
 */
public final class TxnEvaluator {
    private final LongPredicate leaseExists;
    private final Pins pins;
    private final KeyCoder coder;

    /**
     * Creates an evaluator.
     *
     * @param leaseExists true for a lease that is granted and not revoked in the pending state
     * @param pins keeps compaction away from revisions of deferred reads
     */
    public TxnEvaluator(LongPredicate leaseExists, Pins pins, KeyCoder coder) {
        this.leaseExists = leaseExists;
        this.pins = pins;
        this.coder = coder;
    }

    /**
     * Evaluates a transaction that passed {@link RequestChecks}. The answer's revisions are those
     * of etcd's response headers.
     *
     * @throws BackendException LEASE_NOT_FOUND, KEY_NOT_FOUND, COMPACTED, FUTURE_REVISION or
     *     REQUEST_TOO_LARGE
     */
    public TxnAnswer evaluate(Txn txn, TxnContext context) {
        Branch branch = select(txn, context);
        check(branch, context);
        return new TxnRun(context).run(branch, pins);
    }

    /**
     * The branch that a transaction takes.
     *
     * @param succeeded true if all compares hold
     * @param nested the branches of its nested transactions, in order
     */
    record Branch(boolean succeeded, List<Op> ops, List<Branch> nested) {}

    private static Branch select(Txn txn, TxnContext context) {
        boolean succeeded = hold(txn.compares(), context);
        List<Op> ops = succeeded ? txn.success() : txn.failure();
        List<Branch> nested = new ArrayList<>(0);
        for (Op op : ops) {
            if (op instanceof Op.Nested inner) {
                nested.add(select(inner.txn(), context));
            }
        }
        return new Branch(succeeded, ops, nested);
    }

    private static boolean hold(List<Compare> compares, TxnContext context) {
        for (Compare compare : compares) {
            if (!holds(compare, context)) {
                return false;
            }
        }
        return true;
    }

    /**
     * A compare of a range must hold for every key; an empty range is compared as a missing key.
     */
    private static boolean holds(Compare compare, TxnContext context) {
        if (compare.span().single()) {
            return compare.holds(context.getBefore(compare.span().key()).kv());
        }
        try (TxnContext.Scan keys = context.scanBefore(compare.span())) {
            if (!keys.next()) {
                return compare.holds(null);
            }
            do {
                if (!compare.holds(keys.head().kv())) {
                    return false;
                }
            } while (keys.next());
            return true;
        }
    }

    /** Checks against the state before the transaction, in etcd's order. */
    private void check(Branch branch, TxnContext context) {
        Iterator<Branch> nested = branch.nested().iterator();
        for (Op op : branch.ops()) {
            if (op instanceof Op.Put put) {
                check(put, context);
            } else if (op instanceof Op.Range range) {
                checkRevision(range.query().revision(), context);
            } else if (op instanceof Op.Nested) {
                check(nested.next(), context);
            }
        }
    }

    private void check(Op.Put put, TxnContext context) {
        if (put.lease() != 0 && !leaseExists.test(put.lease())) {
            throw new BackendException(ErrorKind.LEASE_NOT_FOUND);
        }
        if ((put.ignoreValue() || put.ignoreLease()) && !context.getBefore(put.key()).exists()) {
            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
        }
    }

    /** Unlike in a Range request, a negative revision is not the newest one, as in etcd. */
    private void checkRevision(long revision, TxnContext context) {
        if (revision == 0) {
            return;
        }
        if (revision > context.revision()) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (revision < CompactRecord.decode(context.record(coder.compactKey())).floor()) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }
}
