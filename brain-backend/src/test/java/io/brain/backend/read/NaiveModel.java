package io.brain.backend.read;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GoSort;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * etcd's reads as documented: complete lists, copied at every step. The state of every revision is
 * kept.
 */
final class NaiveModel {
    private final List<NavigableMap<Bytes, Kv>> states = new ArrayList<>();
    private long floor = -1;

    /** A key's fields. */
    record Kv(Bytes key, long create, long mod, long version, Bytes value, long lease) {
        Bytes encoded() {
            return KeyValueCodec.encode(key, create, mod, version, value, lease);
        }
    }

    NaiveModel() {
        states.add(null);
        states.add(new TreeMap<>());
    }

    long revision() {
        return states.size() - 1L;
    }

    void compact(long newFloor) {
        floor = newFloor;
    }

    NavigableMap<Bytes, Kv> state(long revision) {
        return states.get((int) revision);
    }

    /** Begins a revision as a copy of the last one, to be changed in place. */
    NavigableMap<Bytes, Kv> begin() {
        NavigableMap<Bytes, Kv> state = new TreeMap<>(state(revision()));
        states.add(state);
        return state;
    }

    static Kv putInto(NavigableMap<Bytes, Kv> state, Bytes key, Bytes value, long lease, long rev) {
        Kv old = state.get(key);
        Kv kv =
                old == null
                        ? new Kv(key, rev, rev, 1, value, lease)
                        : new Kv(key, old.create, rev, old.version + 1, value, lease);
        state.put(key, kv);
        return kv;
    }

    /** Refuses a revision that cannot be read; 0 is the newest. */
    void check(long revision) {
        if (revision > revision()) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        if (revision != 0 && revision < floor) {
            throw new BackendException(ErrorKind.COMPACTED);
        }
    }

    OpResult.Range range(RangeQuery query) {
        long at = query.revision() > 0 ? query.revision() : revision();
        check(at);
        return range(query, state(at), revision());
    }

    static OpResult.Range range(RangeQuery query, NavigableMap<Bytes, Kv> state, long header) {
        List<Kv> kvs = within(query.span(), state);
        long count = kvs.size();
        if (query.countOnly()) {
            return new OpResult.Range(header, List.of(), false, count);
        }
        RevisionFilter filter = query.filter();
        boolean fetchesAll = query.sortOrder() != SortOrder.NONE;
        fetchesAll |= filter.minMod() != 0 || filter.maxMod() != 0;
        fetchesAll |= filter.minCreate() != 0 || filter.maxCreate() != 0;
        long limit = query.limit();
        if (limit > 0 && !fetchesAll && kvs.size() > limit) {
            kvs = kvs.subList(0, (int) limit + 1);
        }
        List<Kv> passing = new ArrayList<>();
        for (Kv kv : kvs) {
            boolean passes = filter.minMod() == 0 || kv.mod >= filter.minMod();
            passes &= filter.maxMod() == 0 || kv.mod <= filter.maxMod();
            passes &= filter.minCreate() == 0 || kv.create >= filter.minCreate();
            passes &= filter.maxCreate() == 0 || kv.create <= filter.maxCreate();
            if (passes) {
                passing.add(kv);
            }
        }
        Comparator<Kv> order = order(query.sortTarget());
        GoSort.sort(
                passing,
                query.sortOrder() == SortOrder.DESCEND ? Collections.reverseOrder(order) : order);
        boolean more = limit > 0 && passing.size() > limit;
        if (more) {
            passing = passing.subList(0, (int) limit);
        }
        List<Bytes> shown = new ArrayList<>();
        for (Kv kv : passing) {
            long lease = query.sortTarget() == SortTarget.VALUE ? kv.lease : 0;
            Kv bare = new Kv(kv.key, kv.create, kv.mod, kv.version, Bytes.EMPTY, lease);
            shown.add(query.keysOnly() ? bare.encoded() : kv.encoded());
        }
        return new OpResult.Range(header, shown, more, count);
    }

    private static Comparator<Kv> order(SortTarget target) {
        return switch (target) {
            case KEY -> Comparator.comparing(Kv::key);
            case VERSION -> Comparator.comparing(Kv::version);
            case CREATE -> Comparator.comparing(Kv::create);
            case MOD -> Comparator.comparing(Kv::mod);
            case VALUE -> Comparator.comparing(Kv::value);
        };
    }

    static List<Kv> within(KeySpan span, NavigableMap<Bytes, Kv> state) {
        return new ArrayList<>(
                state.values().stream().filter(kv -> span.contains(kv.key)).toList());
    }

    boolean holds(Compare compare) {
        List<Kv> kvs = within(compare.span(), state(revision()));
        if (kvs.isEmpty()) {
            return compare.target() != Compare.Target.VALUE
                    && holds(compare, new Kv(null, 0, 0, 0, null, 0));
        }
        return kvs.stream().allMatch(kv -> holds(compare, kv));
    }

    private static boolean holds(Compare compare, Kv kv) {
        int sign =
                switch (compare.target()) {
                    case VERSION -> Long.compare(kv.version, compare.number());
                    case CREATE -> Long.compare(kv.create, compare.number());
                    case MOD -> Long.compare(kv.mod, compare.number());
                    case LEASE -> Long.compare(kv.lease, compare.number());
                    case VALUE -> kv.value.compareTo(compare.value());
                    case UNKNOWN -> 0;
                };
        return switch (compare.relation()) {
            case EQUAL -> sign == 0;
            case NOT_EQUAL -> sign != 0;
            case LESS -> sign < 0;
            case GREATER -> sign > 0;
            case UNKNOWN -> true;
        };
    }
}
