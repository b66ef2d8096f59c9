package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import java.util.List;

/**
 * Checks of a request's form, before it is proposed. Checks against the state are those of {@link
 * TxnEvaluator}. Immutable.
 */
public final class RequestChecks {
    /** Bytes that etcd adds per put in its check of the quota. */
    private static final long PUT_OVERHEAD = 256;

    private final int txnOpsMax;
    private final KeyCoder coder;
    private final int storedKeyBytesMax;

    /**
     * Creates checks with limits.
     *
     * @param txnOpsMax compares, or operations of a branch, of one transaction; nested ones share
     *     the rest
     * @param storedKeyBytesMax longest key of the engine
     */
    public RequestChecks(int txnOpsMax, KeyCoder coder, int storedKeyBytesMax) {
        this.txnOpsMax = txnOpsMax;
        this.coder = coder;
        this.storedKeyBytesMax = storedKeyBytesMax;
    }

    /**
     * Checks a range request.
     *
     * @throws BackendException KEY_NOT_PROVIDED
     */
    public static void check(RangeQuery query) {
        requireKey(query.span().key().isEmpty());
    }

    /**
     * Checks a transaction.
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
     * True if the engine can store every key that a transaction may put. etcd has no limit of its
     * own, but a batch with a longer key could never be committed.
     */
    public boolean keysFit(Txn txn, int wireBytes) {
        // A request is longer than its keys; escaping doubles them at most.
        return coder.historyKeyLengthMax(wireBytes) <= storedKeyBytesMax || keysFit(txn);
    }

    private boolean keysFit(Txn txn) {
        return keysFit(txn.success()) && keysFit(txn.failure());
    }

    private boolean keysFit(List<Op> ops) {
        for (Op op : ops) {
            if (op instanceof Op.Put put && coder.historyKeyLength(put.key()) > storedKeyBytesMax) {
                return false;
            }
            if (op instanceof Op.Nested nested && !keysFit(nested.txn())) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that a transaction counts against the quota: the puts of the larger branch. */
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
