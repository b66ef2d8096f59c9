package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import java.util.List;

/** What etcd checks of a request before it is proposed: its form, not the state. Immutable. */
public final class RequestChecks {
    /** What etcd adds per put when it checks a request against the quota. */
    private static final long PUT_OVERHEAD = 256;

    private final int txnOpsMax;

    /**
     * Checks with a limit.
     *
     * @param txnOpsMax compares, or steps of a branch, that a transaction may have; nested ones
     *     share what is left
     */
    public RequestChecks(int txnOpsMax) {
        this.txnOpsMax = txnOpsMax;
    }

    /**
     * Passes, or throws.
     *
     * @throws BackendException KEY_NOT_PROVIDED
     */
    public static void check(RangeQuery query) {
        requireKey(query.span().key().isEmpty());
    }

    /**
     * Passes, or throws.
     *
     * @throws BackendException TOO_MANY_OPS, KEY_NOT_PROVIDED, VALUE_PROVIDED, LEASE_PROVIDED or
     *     DUPLICATE_KEY
     */
    public void check(Txn txn) {
        checkForm(txn, txnOpsMax);
        OverlapCheck.check(txn.success());
        OverlapCheck.check(txn.failure());
    }

    /**
     * What a transaction counts against the quota: its puts, of the costlier branch; 0 if neither
     * branch puts anything.
     */
    public static long quotaCost(Txn txn) {
        return Math.max(quotaCost(txn.success()), quotaCost(txn.failure()));
    }

    private static long quotaCost(List<Op> ops) {
        long cost = 0;
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            if (op instanceof Op.Put put) {
                cost += PUT_OVERHEAD + put.key().length() + put.value().length();
            } else if (op instanceof Op.Nested nested) {
                cost += quotaCost(nested.txn());
            }
        }
        return cost;
    }

    private static void checkForm(Txn txn, int opsMax) {
        int branch = Math.max(txn.success().size(), txn.failure().size());
        int ops = Math.max(txn.compares().size(), branch);
        if (ops > opsMax) {
            throw new BackendException(ErrorKind.TOO_MANY_OPS);
        }
        for (Compare compare : txn.compares()) {
            requireKey(compare.span().key().isEmpty());
        }
        txn.success().forEach(op -> checkForm(op, opsMax - ops));
        txn.failure().forEach(op -> checkForm(op, opsMax - ops));
    }

    private static void checkForm(Op op, int opsMax) {
        if (op instanceof Op.Range range) {
            check(range.query());
        } else if (op instanceof Op.Put put) {
            check(put);
        } else if (op instanceof Op.Delete delete) {
            requireKey(delete.span().key().isEmpty());
        } else if (op instanceof Op.Nested nested) {
            checkForm(nested.txn(), opsMax);
        }
    }

    private static void check(Op.Put put) {
        requireKey(put.key().isEmpty());
        if (put.ignoreValue() && !put.value().isEmpty()) {
            throw new BackendException(ErrorKind.VALUE_PROVIDED);
        }
        if (put.ignoreLease() && put.lease() != 0) {
            throw new BackendException(ErrorKind.LEASE_PROVIDED);
        }
    }

    private static void requireKey(boolean empty) {
        if (empty) {
            throw new BackendException(ErrorKind.KEY_NOT_PROVIDED);
        }
    }
}
