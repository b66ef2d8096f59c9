package io.brain.backend.auth;

import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/** What a caller needs for a transaction: compares, both branches and nested transactions. */
public final class TxnPermissions {
    private final AuthState state;
    private final Caller caller;
    private final LongConsumer leases;
    private final Set<Long> checkedLeases = new HashSet<>();

    private TxnPermissions(AuthState state, Caller caller, LongConsumer leases) {
        this.state = state;
        this.caller = caller;
        this.leases = leases;
    }

    /**
     * Fails as {@link AuthState#requireRead} if the caller lacks a permission.
     *
     * @param leases checks the keys of a lease that a put attaches its key to; once for each lease
     */
    public static void check(AuthState state, Caller caller, Txn txn, LongConsumer leases) {
        if (state.enabled()) {
            new TxnPermissions(state, caller, leases).check(txn);
        }
    }

    private void check(Txn txn) {
        for (Compare compare : txn.compares()) {
            state.requireRead(caller, compare.span());
        }
        check(txn.success());
        check(txn.failure());
    }

    private void check(List<Op> ops) {
        for (Op op : ops) {
            if (op instanceof Op.Range range) {
                state.requireRead(caller, range.query().span());
            } else if (op instanceof Op.Put put) {
                check(put);
            } else if (op instanceof Op.Delete delete) {
                state.requireWrite(caller, delete.span());
                if (delete.prevKv()) {
                    state.requireRead(caller, delete.span());
                }
            } else if (op instanceof Op.Nested nested) {
                check(nested.txn());
            }
        }
    }

    private void check(Op.Put put) {
        KeySpan key = KeySpan.of(put.key());
        state.requireWrite(caller, key);
        if (put.lease() != 0 && checkedLeases.add(put.lease())) {
            leases.accept(put.lease());
        }
        if (put.prevKv()) {
            state.requireRead(caller, key);
        }
    }
}
