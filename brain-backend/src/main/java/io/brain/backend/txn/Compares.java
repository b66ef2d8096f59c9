package io.brain.backend.txn;

import io.brain.backend.model.Compare;
import io.brain.storage.Bytes;
import java.util.List;

/** Decides compares on the state before a turn, as etcd does. */
final class Compares {
    private static final int FETCH = 128;

    private Compares() {}

    /** True if all of them hold; none at all hold too. */
    static boolean hold(List<Compare> compares, TxnContext turn) {
        for (Compare compare : compares) {
            if (!holds(compare, turn)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Compare compare, TxnContext turn) {
        if (compare.span().single()) {
            return compare.holds(turn.getBefore(compare.span().key()).kv());
        }
        List<Bytes> keys = turn.keysBefore(compare.span());
        if (keys.isEmpty()) {
            return compare.holds(null);
        }
        for (int i = 0; i < keys.size(); i++) {
            if (i % FETCH == 0) {
                turn.prefetch(keys.subList(i, Math.min(i + FETCH, keys.size())));
            }
            if (!compare.holds(turn.getBefore(keys.get(i)).kv())) {
                return false;
            }
        }
        return true;
    }
}
