package io.brain.backend.read;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Builds the answer to a range from its keys, with etcd's order of operations: count, filter, sort,
 * limit, omit values. Holds at most one key more than the answer.
 */
final class RangeAnswer {
    /** Heap bytes of an encoded KeyValue in a list, in addition to its length. */
    private static final int ENTRY_BYTES = 64;

    /** Heap bytes of a candidate of a sorted answer, in addition to the length of its KeyValue. */
    private static final int CANDIDATE_BYTES = 192;

    private final KeyIterator keys;
    private final RangeQuery query;
    private final ReadQuota quota;
    private final boolean filtered;
    private final RevisionFilter modFilter;
    private long count;

    private RangeAnswer(KeyIterator keys, RangeQuery query, ReadQuota quota) {
        this.keys = keys;
        this.query = query;
        this.quota = quota;
        RevisionFilter filter = query.filter();
        this.filtered = filter.isBounded();
        this.modFilter = new RevisionFilter(filter.minMod(), filter.maxMod(), 0, 0);
    }

    /**
     * The answer to a query.
     *
     * @param keys the keys of its span
     */
    static OpResult.Range of(
            KeyIterator keys, RangeQuery query, long headerRevision, ReadQuota quota) {
        RangeAnswer answer = new RangeAnswer(keys, query, quota);
        if (query.countOnly()) {
            return answer.finish(headerRevision, List.of(), false);
        }
        boolean keyOrder =
                query.sortTarget() == SortTarget.KEY && query.sortOrder() != SortOrder.DESCEND;
        return keyOrder ? answer.inKeyOrder(headerRevision) : answer.sorted(headerRevision);
    }

    /** Counts the remaining keys, unless no count is wanted. */
    private OpResult.Range finish(long headerRevision, List<Bytes> kvs, boolean more) {
        if (query.counted() || !more) {
            count += keys.countRest(quota);
        }
        return new OpResult.Range(headerRevision, kvs, more, count);
    }

    private OpResult.Range inKeyOrder(long headerRevision) {
        if (!filtered && !query.span().single()) {
            return packed(headerRevision);
        }
        List<Bytes> kvs = new ArrayList<>();
        while (nextKey()) {
            if (isFull(kvs.size()) && !filtered) {
                return finish(headerRevision, kvs, true);
            }
            if (filtered && !modFilter.accepts(keys.modRevision(), 0)) {
                continue;
            }
            Bytes kv = keys.kv();
            if (filtered || query.keysOnly()) {
                KeyValue decoded = KeyValue.decode(kv);
                if (!accepts(decoded)) {
                    continue;
                }
                if (isFull(kvs.size())) {
                    return finish(headerRevision, kvs, true);
                }
                kv = selected(decoded);
            }
            quota.hold(ENTRY_BYTES + kv.length());
            kvs.add(kv);
        }
        return finish(headerRevision, kvs, false);
    }

    private OpResult.Range packed(long headerRevision) {
        PackedKvs kvs = new PackedKvs();
        while (nextKey()) {
            if (isFull(kvs.size())) {
                return finish(headerRevision, kvs, true);
            }
            int length = query.keysOnly() ? keys.addBareKv(kvs) : keys.addKv(kvs);
            quota.hold(ENTRY_BYTES + length);
        }
        return finish(headerRevision, kvs, false);
    }

    private OpResult.Range sorted(long headerRevision) {
        // Without an order etcd sorts only the keys that it has fetched: up to one more than the
        // limit, or all if there is a filter.
        boolean fetchesAll = query.sortOrder() != SortOrder.NONE || filtered;
        Comparator<Candidate> order = order();
        PriorityQueue<Candidate> best = new PriorityQueue<>(order.reversed());
        boolean more = false;
        while (!(more && !fetchesAll) && nextKey()) {
            if (filtered && !modFilter.accepts(keys.modRevision(), 0)) {
                continue;
            }
            KeyValue kv = KeyValue.decode(keys.kv());
            if (!accepts(kv)) {
                continue;
            }
            best.add(new Candidate(kv, count));
            quota.hold(CANDIDATE_BYTES + kv.encoded().length());
            if (isFull(best.size() - 1)) {
                more = true;
                quota.hold(-CANDIDATE_BYTES - best.remove().kv.encoded().length());
            }
        }
        List<Candidate> chosen = new ArrayList<>(best);
        chosen.sort(order);
        List<Bytes> kvs = new ArrayList<>(chosen.size());
        for (Candidate candidate : chosen) {
            Bytes kv = query.keysOnly() ? selected(candidate.kv) : candidate.kv.encoded();
            quota.hold(
                    kv.length() - candidate.kv.encoded().length() + ENTRY_BYTES - CANDIDATE_BYTES);
            kvs.add(kv);
        }
        return finish(headerRevision, kvs, more);
    }

    private boolean nextKey() {
        if (!keys.next()) {
            return false;
        }
        quota.passKey();
        count++;
        return true;
    }

    private boolean isFull(int size) {
        return query.limit() > 0 && size >= query.limit();
    }

    private boolean accepts(KeyValue kv) {
        return query.filter().accepts(kv.modRevision(), kv.createRevision());
    }

    private Bytes selected(KeyValue kv) {
        // etcd returns keys only from its index, which has no leases, unless it sorts by value.
        return query.keysOnly()
                ? KeyValueCodec.withoutValue(kv, query.sortTarget() == SortTarget.VALUE)
                : kv.encoded();
    }

    private Comparator<Candidate> order() {
        Comparator<Candidate> ascending =
                switch (query.sortTarget()) {
                    case KEY -> Comparator.comparingLong(Candidate::index);
                    case VERSION -> Comparator.comparingLong(candidate -> candidate.kv.version());
                    case CREATE ->
                            Comparator.comparingLong(candidate -> candidate.kv.createRevision());
                    case MOD -> Comparator.comparingLong(candidate -> candidate.kv.modRevision());
                    case VALUE -> RangeAnswer::compareValues;
                };
        Comparator<Candidate> order =
                query.sortOrder() == SortOrder.DESCEND ? ascending.reversed() : ascending;
        return order.thenComparingLong(Candidate::index);
    }

    private static int compareValues(Candidate left, Candidate right) {
        KeyValue a = left.kv;
        KeyValue b = right.kv;
        return Arrays.compareUnsigned(
                a.encoded().array(),
                a.valueFrom(),
                a.valueFrom() + a.valueLength(),
                b.encoded().array(),
                b.valueFrom(),
                b.valueFrom() + b.valueLength());
    }

    /**
     * A candidate of a sorted answer.
     *
     * @param index index of the key in its span, from 1
     */
    private record Candidate(KeyValue kv, long index) {}
}
