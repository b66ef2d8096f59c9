package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import java.util.List;

/**
 * Checks of a request's form, before it is proposed. Checks against the state are those of {@link
 * TxnEvaluator}. Immutable.
 */
public final class RequestChecks {
    /** Bytes that etcd adds per put in its check of the quota. */
    private static final long PUT_OVERHEAD = 256;

    /** More than what a stored value has beside the client's key and value. */
    private static final int RECORD_OVERHEAD = 128;

    private final int txnOpsMax;
    private final KeyCoder coder;
    private final int storedKeyBytesMax;
    private final int storedValueBytesMax;

    /**
     * Creates checks with limits.
     *
     * @param txnOpsMax compares, or operations of a branch, of one transaction; nested ones share
     *     the rest
     * @param storage limits keys and values
     */
    public RequestChecks(int txnOpsMax, KeyCoder coder, KvStorage storage) {
        this.txnOpsMax = txnOpsMax;
        this.coder = coder;
        this.storedKeyBytesMax = storage.keyBytesMax();
        this.storedValueBytesMax = storage.valueBytesMax();
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
     * True if the engine can store every key and value that a transaction may put. etcd has no
     * limits of its own, but a batch with a longer one could never be committed.
     */
    public boolean fits(Txn txn, int wireBytes) {
        // A request is longer than its keys and values; escaping doubles keys at most.
        return (coder.historyKeyLengthMax(wireBytes) <= storedKeyBytesMax
                        && wireBytes <= storedValueBytesMax - RECORD_OVERHEAD)
                || fits(txn);
    }

    private boolean fits(Txn txn) {
        return fits(txn.success()) && fits(txn.failure());
    }

    private boolean fits(List<Op> ops) {
        for (Op op : ops) {
            if (op instanceof Op.Put put && !fits(put)) {
                return false;
            }
            if (op instanceof Op.Nested nested && !fits(nested.txn())) {
                return false;
            }
        }
        return true;
    }

    /** The stored value has the key as well. */
    private boolean fits(Op.Put put) {
        int record = put.key().length() + put.value().length() + RECORD_OVERHEAD;
        return coder.historyKeyLength(put.key()) <= storedKeyBytesMax
                && record <= storedValueBytesMax;
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
