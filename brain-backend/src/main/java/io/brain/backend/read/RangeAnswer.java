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

/**
 * Builds the answer to a range from its keys, with etcd's order of operations: count, filter, sort,
 * limit, omit values.
 */
final class RangeAnswer {
    /** Heap bytes of an encoded KeyValue in a list, in addition to its length. */
    private static final int ENTRY_BYTES = 64;

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
        Candidates candidates = new Candidates(order(), query.limit(), quota);
        while ((fetchesAll || !candidates.isOverLimit()) && nextKey()) {
            if (filtered && !modFilter.accepts(keys.modRevision(), 0)) {
                continue;
            }
            KeyValue kv = KeyValue.decode(keys.kv());
            if (accepts(kv)) {
                candidates.add(kv);
            }
        }
        boolean more = candidates.isOverLimit();
        List<Bytes> kvs = new ArrayList<>();
        for (KeyValue candidate : candidates.sorted()) {
            Bytes kv = query.keysOnly() ? selected(candidate) : candidate.encoded();
            quota.hold(
                    kv.length()
                            - candidate.encoded().length()
                            + ENTRY_BYTES
                            - Candidates.CANDIDATE_BYTES);
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

    private Comparator<KeyValue> order() {
        Comparator<KeyValue> ascending =
                switch (query.sortTarget()) {
                    case KEY -> Comparator.comparing(KeyValue::key);
                    case VERSION -> Comparator.comparingLong(KeyValue::version);
                    case CREATE -> Comparator.comparingLong(KeyValue::createRevision);
                    case MOD -> Comparator.comparingLong(KeyValue::modRevision);
                    case VALUE -> RangeAnswer::compareValues;
                };
        return query.sortOrder() == SortOrder.DESCEND ? ascending.reversed() : ascending;
    }

    private static int compareValues(KeyValue a, KeyValue b) {
        return Arrays.compareUnsigned(
                a.encoded().array(),
                a.valueFrom(),
                a.valueFrom() + a.valueLength(),
                b.encoded().array(),
                b.valueFrom(),
                b.valueFrom() + b.valueLength());
    }
}
