package io.brain.backend.txn;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Pins;

/**
 * Evaluates transactions as etcd does: all compares on the state before, then all checks of the
 * path that they select, then the steps in order. Sequencer thread only, but for reads that were
 * put off.
 */
public final class TxnEvaluator {
    private final LeaseView leases;
    private final Pins pins;
    private final KeyCoder coder;

    /**
     * An evaluator.
     *
     * @param pins keeps what reads that were put off will need
     */
    public TxnEvaluator(LeaseView leases, Pins pins, KeyCoder coder) {
        this.leases = leases;
        this.pins = pins;
        this.coder = coder;
    }

    /**
     * Runs a transaction that {@link RequestChecks} let pass. The answer's revisions are what etcd
     * puts into headers.
     *
     * @throws io.brain.backend.model.BackendException LEASE_NOT_FOUND, KEY_NOT_FOUND, COMPACTED,
     *     FUTURE_REVISION or REQUEST_TOO_LARGE
     */
    public TxnAnswer evaluate(Txn txn, TxnContext turn) {
        TxnPath path = TxnPath.decide(txn, turn);
        new TxnChecks(turn, leases, coder).check(txn, path.walk());
        TxnRun run = new TxnRun(turn);
        OpResult.Txn result = run.execute(txn, path.walk());
        return run.answer(result, pins);
    }
}
