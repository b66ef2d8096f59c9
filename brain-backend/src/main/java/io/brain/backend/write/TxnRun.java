package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Txn;
import io.brain.backend.revision.Pins;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * One transaction's steps, executed in a turn. A read of one key's newest state is answered at
 * once; every other read is fixed, a revision and what this transaction has changed so far, and
 * made after the transaction is published, so that it cannot hold up the writes behind.
 */
final class TxnRun {
    private static final int FETCH = 128;

    /** Bytes of deleted KeyValues that one answer may hold; etcd knows no bound but its memory. */
    private static final long PREV_KV_BYTES_MAX = 128 << 20;

    private final Turn turn;

    /** Keys that steps have touched so far, in order; what later reads see on top of the store. */
    private final List<Bytes> touched = new ArrayList<>();

    private final List<PutOff> putOff = new ArrayList<>(0);
    private long prevKvBytes;

    /** A read to be made later, and where its result goes. */
    record PutOff(
            List<OpResult> results,
            int place,
            RangeQuery query,
            long revision,
            NavigableMap<Bytes, Bytes> overlay,
            long headerRevision) {}

    TxnRun(Turn turn) {
        this.turn = turn;
    }

    /** Runs the branch that {@code path} selects; the results of reads put off are still null. */
    OpResult.Txn execute(Txn txn, TxnPath.Walk path) {
        boolean succeeded = path.next();
        List<Op> steps = TxnPath.branch(txn, succeeded);
        List<OpResult> results = new ArrayList<>(steps.size());
        for (Op op : steps) {
            if (op instanceof Op.Put put) {
                results.add(put(put));
            } else if (op instanceof Op.Delete delete) {
                results.add(delete(delete));
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
            return new TxnAnswer(result, putOff, () -> {});
        }
        long lowest = Long.MAX_VALUE;
        for (PutOff read : putOff) {
            lowest = Math.min(lowest, read.revision());
        }
        Pins.Unpin pin = pins.pin(lowest);
        turn.onFailed(pin::unpin);
        return new TxnAnswer(result, putOff, pin);
    }

    private OpResult put(Op.Put put) {
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
        turn.put(put.key(), value, lease);
        touched.add(put.key());
        return new OpResult.Put(
                turn.headerRevision(), put.prevKv() && old != null ? old.encoded() : null);
    }

    private OpResult delete(Op.Delete delete) {
        List<Bytes> keys = turn.keys(delete.span());
        List<Bytes> prevKvs = delete.prevKv() ? new ArrayList<>(keys.size()) : List.of();
        for (int i = 0; i < keys.size(); i++) {
            if (i % FETCH == 0 && keys.size() > 1) {
                turn.prefetch(keys.subList(i, Math.min(i + FETCH, keys.size())));
            }
            Bytes key = keys.get(i);
            if (delete.prevKv()) {
                prevKvs.add(replaced(key));
            }
            turn.delete(key);
        }
        touched.addAll(keys);
        return new OpResult.Delete(turn.headerRevision(), keys.size(), prevKvs);
    }

    private Bytes replaced(Bytes key) {
        Bytes kv = turn.get(key).kv().encoded();
        prevKvBytes += kv.length();
        if (prevKvBytes > PREV_KV_BYTES_MAX) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        return kv;
    }

    /** The read's result; null if it is put off. */
    private OpResult range(RangeQuery query, List<OpResult> results) {
        boolean newest = query.revision() <= 0;
        if (newest && query.span().single()) {
            return single(query, turn.get(query.span().key()).kv());
        }
        putOff.add(
                new PutOff(
                        results,
                        results.size(),
                        query,
                        newest ? turn.revision() : query.revision(),
                        newest ? overlay(query) : Collections.emptyNavigableMap(),
                        turn.headerRevision()));
        return null;
    }

    private OpResult single(RangeQuery query, KeyValue kv) {
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
        return new OpResult.Range(header, List.of(encoded), false, 1);
    }

    private NavigableMap<Bytes, Bytes> overlay(RangeQuery query) {
        NavigableMap<Bytes, Bytes> changed = new TreeMap<>();
        for (Bytes key : touched) {
            if (query.span().contains(key)) {
                TipRecord record = turn.get(key);
                changed.put(key, record.exists() ? record.kv().encoded() : Bytes.EMPTY);
            }
        }
        return changed;
    }
}
