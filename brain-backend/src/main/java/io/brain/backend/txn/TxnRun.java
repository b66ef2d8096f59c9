package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.store.Pins;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * Executes the operations of one transaction. A read of the newest state of one key is answered at
 * once if the key is in memory and small. Any other read is deferred until the transaction is
 * published: now only its revision and the changes that it sees are fixed. So it does not delay
 * later writes, and its bytes count against the response budget. Replaced KeyValues that are not
 * small are deferred reads, too.
 */
final class TxnRun {
    /**
     * Bytes of KeyValues in an answer outside the response budget; each open call counts as that.
     */
    private static final int UNBUDGETED_BYTES_MAX = 8 << 10;

    private final TxnContext context;

    /** Changes in order; each deferred read sees those made before it. */
    private final List<TxnAnswer.Change> changes = new ArrayList<>(1);

    private final List<TxnAnswer.DeferredRead> deferred = new ArrayList<>(0);
    private int answerBytes;

    TxnRun(TxnContext context) {
        this.context = context;
    }

    /** Executes a branch. */
    TxnAnswer run(TxnEvaluator.Branch branch, Pins pins) {
        OpResult.Txn result = execute(branch);
        if (deferred.isEmpty()) {
            return new TxnAnswer(result, List.of(), List.of(), () -> {});
        }
        long lowest = Long.MAX_VALUE;
        for (TxnAnswer.DeferredRead read : deferred) {
            lowest = Math.min(lowest, read.revision());
        }
        Pins.Unpin pin = pins.pin(lowest);
        context.onFailed(pin::unpin);
        return new TxnAnswer(result, deferred, changes, pin);
    }

    /** The results; null for those of deferred reads. */
    private OpResult.Txn execute(TxnEvaluator.Branch branch) {
        List<OpResult> results = new ArrayList<>(branch.ops().size());
        Iterator<TxnEvaluator.Branch> nested = branch.nested().iterator();
        for (Op op : branch.ops()) {
            if (op instanceof Op.Put put) {
                results.add(put(put, results));
            } else if (op instanceof Op.Delete delete) {
                results.add(delete(delete, results));
            } else if (op instanceof Op.Range range) {
                results.add(range(range.query(), results));
            } else if (op instanceof Op.Nested) {
                results.add(execute(nested.next()));
            }
        }
        return new OpResult.Txn(context.headerRevision(), branch.succeeded(), results);
    }

    private OpResult put(Op.Put put, List<OpResult> results) {
        KeyValue old = null;
        if (put.prevKv() || put.ignoreValue() || put.ignoreLease()) {
            old = context.get(put.key()).kv();
        }
        if (old == null && (put.ignoreValue() || put.ignoreLease())) {
            // It existed before, but an earlier operation deleted it; etcd itself crashes here.
            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
        }
        Bytes value = put.ignoreValue() ? old.value() : put.value();
        long lease = put.ignoreLease() ? old.lease() : put.lease();
        int before = changes.size();
        HeadRecord head = context.put(put.key(), value, lease);
        changes.add(new TxnAnswer.Change(put.key(), head.kv().encoded()));
        long header = context.headerRevision();
        if (!put.prevKv() || old == null) {
            return new OpResult.Put(header, null);
        }
        if (fits(old.encoded().length())) {
            return new OpResult.Put(header, old.encoded());
        }
        return defer(
                results,
                RangeQuery.of(KeySpan.of(put.key())),
                before,
                range -> new OpResult.Put(header, range.kvs().get(0)));
    }

    private OpResult delete(Op.Delete delete, List<OpResult> results) {
        int before = changes.size();
        List<Bytes> prevKvs = new ArrayList<>(0);
        boolean small = delete.prevKv();
        try (TxnContext.Scan keys = context.scan(delete.span())) {
            while (keys.next()) {
                if (small) {
                    Bytes kv = keys.head().kv().encoded();
                    small = fits(kv.length());
                    prevKvs.add(kv);
                }
                context.delete(keys.key(), keys.head());
                context.checkWidth(delete.span());
                changes.add(new TxnAnswer.Change(keys.key(), Bytes.EMPTY));
            }
        }
        int deleted = changes.size() - before;
        long header = context.headerRevision();
        if (small || !delete.prevKv()) {
            return new OpResult.Delete(header, deleted, prevKvs);
        }
        return defer(
                results,
                RangeQuery.of(delete.span()),
                before,
                range -> new OpResult.Delete(header, deleted, range.kvs()));
    }

    private OpResult range(RangeQuery query, List<OpResult> results) {
        if (query.revision() > 0) {
            return defer(results, query, 0, range -> range);
        }
        HeadRecord head = query.span().single() ? context.getCached(query.span().key()) : null;
        OpResult.Range single = head == null ? null : single(query, head.kv());
        return single == null ? defer(results, query, changes.size(), range -> range) : single;
    }

    /** The result for a single key; null if it does not fit. */
    private OpResult.Range single(RangeQuery query, KeyValue kv) {
        long header = context.headerRevision();
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

    /** Counts a KeyValue of the answer; false if it must be a deferred read. */
    private boolean fits(int bytes) {
        if (bytes > UNBUDGETED_BYTES_MAX - answerBytes) {
            return false;
        }
        answerBytes += bytes;
        return true;
    }

    /** Defers the read that makes the next result; returns null. */
    private OpResult defer(
            List<OpResult> results,
            RangeQuery query,
            int visibleChanges,
            Function<OpResult.Range, OpResult> toResult) {
        long revision = query.revision() > 0 ? query.revision() : context.revision();
        long header = context.headerRevision();
        int index = results.size();
        deferred.add(
                new TxnAnswer.DeferredRead(
                        results, index, query, revision, visibleChanges, header, toResult));
        return null;
    }
}
