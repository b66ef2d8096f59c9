package io.brain.backend.read;

import io.brain.backend.model.GoSort;
import io.brain.backend.wire.KeyValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The keys that a sorted answer may have. Keys that the sort considers equal are in etcd's order,
 * that of Go's sort of all of them; if they take too much memory, in key order.
 */
final class Candidates {
    /** Heap bytes of a candidate, in addition to the length of its KeyValue. */
    static final long CANDIDATE_BYTES = 192;

    /** Bytes above which those beyond the limit are dropped. */
    private static final long HELD_MAX = 8 << 20;

    private final Comparator<KeyValue> order;
    private final long limit;
    private final ReadQuota quota;
    private final List<KeyValue> held = new ArrayList<>();
    private long heldBytes;
    private long dropAt = HELD_MAX;
    private boolean dropped;

    /**
     * Creates an empty list.
     *
     * @param limit of the answer's keys; 0 or less: none
     */
    Candidates(Comparator<KeyValue> order, long limit, ReadQuota quota) {
        this.order = order;
        this.limit = limit;
        this.quota = quota;
    }

    /** Adds a key; in key order. */
    void add(KeyValue kv) {
        held.add(kv);
        hold(bytes(kv));
        if (heldBytes > dropAt && isOverLimit()) {
            dropped = true;
            cut();
            dropAt = Math.max(HELD_MAX, 2 * heldBytes);
        }
    }

    /** True if some of the keys are not in the answer. */
    boolean isOverLimit() {
        return dropped || (limit > 0 && held.size() > limit);
    }

    /** The keys of the answer, in order. */
    List<KeyValue> sorted() {
        cut();
        return held;
    }

    private void cut() {
        if (dropped) {
            held.sort(order);
        } else {
            GoSort.sort(held, order);
        }
        if (limit > 0 && held.size() > limit) {
            List<KeyValue> rest = held.subList((int) limit, held.size());
            rest.forEach(kv -> hold(-bytes(kv)));
            rest.clear();
        }
    }

    private void hold(long bytes) {
        heldBytes += bytes;
        quota.hold(bytes);
    }

    private static long bytes(KeyValue kv) {
        return CANDIDATE_BYTES + kv.encoded().length();
    }
}
