package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Txn;
import io.brain.backend.store.Pins;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One transaction's steps, executed in a turn. A read of one key's newest state that is in memory
 * and small is answered at once. Every other read is fixed, a revision and what this transaction
 * has changed so far, and made after the transaction is published: so it cannot hold up the writes
 * behind, and holds its bytes within the response budget. Replaced KeyValues are such reads, too.
 */
final class TxnRun {
    private static final int FETCH = 128;

    /**
     * Bytes of KeyValues that an answer may hold outside the response budget: every open call is
     * counted with as much. An answer that would hold more has the rest read within the budget.
     */
    static final int UNBUDGETED_BYTES_MAX = 8 << 10;

    private final TxnContext turn;

    /** What steps have changed so far, in order; later reads see it on top of the store. */
    private final List<Changed> changed = new ArrayList<>(1);

    private final List<PutOff> putOff = new ArrayList<>(0);
    private int answerBytes;

    /**
     * A change of this transaction.
     *
     * @param kv the encoded KeyValue; {@link Bytes#EMPTY}: the key was deleted
     */
    record Changed(Bytes key, Bytes kv) {}

    /**
     * A read to be made later, and where its result goes.
     *
     * @param changes how many of the transaction's changes it sees
     * @param form makes the step's result of what was read
     */
    record PutOff(
            List<OpResult> results,
            int place,
            RangeQuery query,
            long revision,
            int changes,
            long headerRevision,
            Function<OpResult.Range, OpResult> form) {}

    TxnRun(TxnContext turn) {
        this.turn = turn;
    }

    /** Runs the branch that {@code path} selects; the results of reads put off are still null. */
    OpResult.Txn execute(Txn txn, TxnPath.Walk path) {
        boolean succeeded = path.next();
        List<Op> steps = TxnPath.branch(txn, succeeded);
        List<OpResult> results = new ArrayList<>(steps.size());
        for (Op op : steps) {
            if (op instanceof Op.Put put) {
                results.add(put(put, results));
            } else if (op instanceof Op.Delete delete) {
                results.add(delete(delete, results));
            } else if (op instanceof Op.Range range) {
                results.add(range(range.query(), results));
            } else if (op instanceof Op.Nested nested) {
                results.add(execute(nested.txn(), path));
            }
        }
        return new OpResult.Txn(turn.headerRevision(), succeeded, results);
    }

    /** The answer: {@code result}, and the reads that were put off. */
    TxnAnswer answer(OpResult.Txn result, Pins pins) {
        if (putOff.isEmpty()) {
            return new TxnAnswer(result, putOff, List.of(), () -> {});
        }
        long lowest = Long.MAX_VALUE;
        for (PutOff read : putOff) {
            lowest = Math.min(lowest, read.revision());
        }
        Pins.Unpin pin = pins.pin(lowest);
        turn.onFailed(pin::unpin);
        return new TxnAnswer(result, putOff, changed, pin);
    }

    /** The put's result; null if the replaced KeyValue is put off. */
    private OpResult put(Op.Put put, List<OpResult> results) {
        KeyValue old = null;
        if (put.prevKv() || put.ignoreValue() || put.ignoreLease()) {
            old = turn.get(put.key()).kv();
        }
        if (old == null && (put.ignoreValue() || put.ignoreLease())) {
            // It existed before, but an earlier step deleted it; etcd itself crashes here.
            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
        }
        Bytes value = put.ignoreValue() ? old.value() : put.value();
        long lease = put.ignoreLease() ? old.lease() : put.lease();
        int before = changed.size();
        changed.add(new Changed(put.key(), turn.put(put.key(), value, lease).kv().encoded()));
        long header = turn.headerRevision();
        if (!put.prevKv() || old == null) {
            return new OpResult.Put(header, null);
        }
        if (fits(old.encoded().length())) {
            return new OpResult.Put(header, old.encoded());
        }
        return putOff(
                results,
                RangeQuery.of(KeySpan.of(put.key())),
                before,
                range -> new OpResult.Put(header, range.kvs().get(0)));
    }

    /** The delete's result; null if the deleted KeyValues are put off. */
    private OpResult delete(Op.Delete delete, List<OpResult> results) {
        List<Bytes> keys = turn.keys(delete.span());
        int before = changed.size();
        List<Bytes> prevKvs = new ArrayList<>(0);
        boolean small = delete.prevKv();
        for (int i = 0; i < keys.size(); i++) {
            if (i % FETCH == 0 && keys.size() > 1) {
                turn.prefetch(keys.subList(i, Math.min(i + FETCH, keys.size())));
            }
            Bytes key = keys.get(i);
            if (small) {
                Bytes kv = turn.get(key).kv().encoded();
                small = fits(kv.length());
                prevKvs.add(kv);
            }
            turn.delete(key);
            changed.add(new Changed(key, Bytes.EMPTY));
        }
        long header = turn.headerRevision();
        if (small || !delete.prevKv()) {
            return new OpResult.Delete(header, keys.size(), prevKvs);
        }
        return putOff(
                results,
                RangeQuery.of(delete.span()),
                before,
                range -> new OpResult.Delete(header, keys.size(), range.kvs()));
    }

    /** The read's result; null if it is put off. */
    private OpResult range(RangeQuery query, List<OpResult> results) {
        if (query.revision() > 0) {
            return putOff(results, query, query.revision(), 0, range -> range);
        }
        HeadRecord record = query.span().single() ? turn.known(query.span().key()) : null;
        OpResult.Range single = record == null ? null : single(query, record.kv());
        return single == null ? putOff(results, query, changed.size(), range -> range) : single;
    }

    /** A read of a single key; null if its answer must be within the response budget. */
    private OpResult.Range single(RangeQuery query, KeyValue kv) {
        long header = turn.headerRevision();
        boolean shown =
                kv != null
                        && !query.countOnly()
                        && query.filter().accepts(kv.modRevision(), kv.createRevision());
        if (!shown) {
            return new OpResult.Range(header, List.of(), false, kv == null ? 0 : 1);
        }
        Bytes encoded =
                query.keysOnly()
                        ? KeyValueCodec.withoutValue(kv, query.sortTarget() == SortTarget.VALUE)
                        : kv.encoded();
        return fits(encoded.length())
                ? new OpResult.Range(header, List.of(encoded), false, 1)
                : null;
    }

    /** A KeyValue more in the answer; false if there is no room for it. */
    private boolean fits(int bytes) {
        if (bytes > UNBUDGETED_BYTES_MAX - answerBytes) {
            return false;
        }
        answerBytes += bytes;
        return true;
    }

    private OpResult putOff(
            List<OpResult> results,
            RangeQuery query,
            int changes,
            Function<OpResult.Range, OpResult> form) {
        return putOff(results, query, turn.revision(), changes, form);
    }

    private OpResult putOff(
            List<OpResult> results,
            RangeQuery query,
            long revision,
            int changes,
            Function<OpResult.Range, OpResult> form) {
        long header = turn.headerRevision();
        int place = results.size();
        putOff.add(new PutOff(results, place, query, revision, changes, header, form));
        return null;
    }
}
