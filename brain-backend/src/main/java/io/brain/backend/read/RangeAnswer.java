package io.brain.backend.read;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.wire.ArrayPool;
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
 * Makes a range's answer of its live keys in etcd's order of application: count, filter, sort, cut,
 * leave values out. Holds at most what the answer holds, and one key more.
 */
final class RangeAnswer {
    /** Heap bytes of an encoded KeyValue in a list, besides its own. */
    private static final int ENTRY_BYTES = 64;

    /** Heap bytes of a candidate for a sorted answer, besides its encoded KeyValue's own. */
    private static final int CANDIDATE_BYTES = 192;

    private final KeyIterator keys;
    private final RangeQuery query;
    private final ReadQuota meter;
    private final boolean filtered;
    private final RevisionFilter modBounds;
    private long count;

    private RangeAnswer(KeyIterator keys, RangeQuery query, ReadQuota meter) {
        this.keys = keys;
        this.query = query;
        this.meter = meter;
        RevisionFilter filter = query.filter();
        this.filtered = !filter.equals(RevisionFilter.NONE);
        this.modBounds = new RevisionFilter(filter.minMod(), filter.maxMod(), 0, 0);
    }

    /**
     * The answer to {@code query}, whose span {@code keys} walks.
     *
     * @param arrays for long answers
     */
    static OpResult.Range of(
            KeyIterator keys,
            RangeQuery query,
            long headerRevision,
            ReadQuota meter,
            ArrayPool arrays) {
        RangeAnswer answer = new RangeAnswer(keys, query, meter);
        if (query.countOnly()) {
            return answer.finish(headerRevision, List.of(), false);
        }
        boolean keyOrder =
                query.sortTarget() == SortTarget.KEY && query.sortOrder() != SortOrder.DESCEND;
        return keyOrder ? answer.inKeyOrder(headerRevision, arrays) : answer.sorted(headerRevision);
    }

    /** Counts what is left, without looking at values. */
    private OpResult.Range finish(long headerRevision, List<Bytes> kvs, boolean more) {
        count += keys.countRest(meter);
        return new OpResult.Range(headerRevision, kvs, more, count);
    }

    private OpResult.Range inKeyOrder(long headerRevision, ArrayPool arrays) {
        if (!filtered && !query.span().single()) {
            return packed(headerRevision, arrays);
        }
        List<Bytes> kvs = new ArrayList<>();
        while (nextKey()) {
            if (isFull(kvs.size()) && !filtered) {
                return finish(headerRevision, kvs, true);
            }
            if (filtered && !modBounds.accepts(keys.modRevision(), 0)) {
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
                kv = shown(decoded);
            }
            meter.hold(ENTRY_BYTES + kv.length());
            kvs.add(kv);
        }
        return finish(headerRevision, kvs, false);
    }

    /** Stored bytes as they are, or their beginnings. */
    private OpResult.Range packed(long headerRevision, ArrayPool arrays) {
        PackedKvs kvs = new PackedKvs(arrays);
        while (nextKey()) {
            if (isFull(kvs.size())) {
                return finish(headerRevision, kvs, true);
            }
            int length = query.keysOnly() ? keys.addBareKv(kvs) : keys.addKv(kvs);
            meter.hold(ENTRY_BYTES + length);
        }
        return finish(headerRevision, kvs, false);
    }

    private OpResult.Range sorted(long headerRevision) {
        // Without an order etcd sorts only what it has fetched, which is up to one key more than
        // the limit, unless a filter made it fetch everything.
        boolean fetchesAll = query.sortOrder() != SortOrder.NONE || filtered;
        Comparator<Candidate> order = order();
        PriorityQueue<Candidate> best = new PriorityQueue<>(order.reversed());
        boolean more = false;
        while (!(more && !fetchesAll) && nextKey()) {
            if (filtered && !modBounds.accepts(keys.modRevision(), 0)) {
                continue;
            }
            KeyValue kv = KeyValue.decode(keys.kv());
            if (!accepts(kv)) {
                continue;
            }
            best.add(new Candidate(kv, count));
            meter.hold(CANDIDATE_BYTES + kv.encoded().length());
            if (isFull(best.size() - 1)) {
                more = true;
                meter.hold(-CANDIDATE_BYTES - best.remove().kv.encoded().length());
            }
        }
        List<Candidate> chosen = new ArrayList<>(best);
        chosen.sort(order);
        List<Bytes> kvs = new ArrayList<>(chosen.size());
        for (Candidate candidate : chosen) {
            Bytes kv = query.keysOnly() ? shown(candidate.kv) : candidate.kv.encoded();
            meter.hold(
                    kv.length() - candidate.kv.encoded().length() + ENTRY_BYTES - CANDIDATE_BYTES);
            kvs.add(kv);
        }
        return finish(headerRevision, kvs, more);
    }

    private boolean nextKey() {
        if (!keys.next()) {
            return false;
        }
        meter.passKey();
        count++;
        return true;
    }

    private boolean isFull(int size) {
        return query.limit() > 0 && size >= query.limit();
    }

    private boolean accepts(KeyValue kv) {
        return query.filter().accepts(kv.modRevision(), kv.createRevision());
    }

    private Bytes shown(KeyValue kv) {
        // etcd answers keys only from its index, which has no leases, unless it needs the values.
        return query.keysOnly()
                ? KeyValueCodec.withoutValue(kv, query.sortTarget() == SortTarget.VALUE)
                : kv.encoded();
    }

    private Comparator<Candidate> order() {
        Comparator<Candidate> ascending =
                switch (query.sortTarget()) {
                    case KEY -> Comparator.comparingLong(Candidate::place);
                    case VERSION -> Comparator.comparingLong(candidate -> candidate.kv.version());
                    case CREATE ->
                            Comparator.comparingLong(candidate -> candidate.kv.createRevision());
                    case MOD -> Comparator.comparingLong(candidate -> candidate.kv.modRevision());
                    case VALUE -> RangeAnswer::compareValues;
                };
        Comparator<Candidate> order =
                query.sortOrder() == SortOrder.DESCEND ? ascending.reversed() : ascending;
        return order.thenComparingLong(Candidate::place);
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
     * A key that may come into a sorted answer.
     *
     * @param place the key's place among the span's keys
     */
    private record Candidate(KeyValue kv, long place) {}
}
