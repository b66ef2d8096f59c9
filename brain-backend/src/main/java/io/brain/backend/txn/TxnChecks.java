package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;

/**
 * What etcd checks of the path taken before anything changes, in its order: a range's revision is
 * taken literally, a lease must exist, what is to be kept must exist before the transaction.
 */
final class TxnChecks {
    private final TxnContext turn;
    private final LeaseView leases;
    private final KeyCoder coder;

    TxnChecks(TxnContext turn, LeaseView leases, KeyCoder coder) {
        this.turn = turn;
        this.leases = leases;
        this.coder = coder;
    }

    /**
     * Passes, or throws.
     *
     * @throws BackendException LEASE_NOT_FOUND, KEY_NOT_FOUND, COMPACTED or FUTURE_REVISION
     */
    void check(Txn txn, TxnPath.Walk path) {
        for (Op op : TxnPath.branch(txn, path.next())) {
            if (op instanceof Op.Put put) {
                check(put);
            } else if (op instanceof Op.Range range) {
                checkRevision(range.query().revision());
            } else if (op instanceof Op.Nested nested) {
                check(nested.txn(), path);
            }
        }
    }

    private void check(Op.Put put) {
        if (put.lease() != 0 && !leases.exists(put.lease())) {
            throw new BackendException(ErrorKind.LEASE_NOT_FOUND);
        }
        if ((put.ignoreValue() || put.ignoreLease()) && !turn.getBefore(put.key()).exists()) {
            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
        }
    }

    private void checkRevision(long revision) {
        if (revision == 0) {
            return;
        }
        if (revision > turn.revision()) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (revision < CompactRecord.decode(turn.record(coder.compactKey())).floor()) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }
}
