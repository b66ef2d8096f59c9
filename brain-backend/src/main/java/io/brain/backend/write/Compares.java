package io.brain.backend.write;

import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Arrays;
import java.util.List;

/** Decides compares on the state before a turn, as etcd does. */
final class Compares {
    private static final int FETCH = 128;

    private Compares() {}

    /** True if all of them hold; none at all hold too. */
    static boolean hold(List<Compare> compares, Turn turn) {
        for (Compare compare : compares) {
            if (!holds(compare, turn)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Compare compare, Turn turn) {
        if (compare.span().single()) {
            return holds(compare, turn.getBefore(compare.span().key()).kv());
        }
        List<Bytes> keys = turn.keysBefore(compare.span());
        if (keys.isEmpty()) {
            return holds(compare, (KeyValue) null);
        }
        for (int i = 0; i < keys.size(); i++) {
            if (i % FETCH == 0) {
                turn.prefetch(keys.subList(i, Math.min(i + FETCH, keys.size())));
            }
            if (!holds(compare, turn.getBefore(keys.get(i)).kv())) {
                return false;
            }
        }
        return true;
    }

    /** Of one key; null stands for a missing one: all its numbers are 0, and it has no value. */
    private static boolean holds(Compare compare, KeyValue kv) {
        if (compare.target() == Target.VALUE) {
            return kv != null && related(compare, compareValue(kv, compare.value()));
        }
        return related(compare, Long.compare(number(compare, kv), operand(compare)));
    }

    private static long number(Compare compare, KeyValue kv) {
        if (kv == null) {
            return 0;
        }
        return switch (compare.target()) {
            case VERSION -> kv.version();
            case CREATE -> kv.createRevision();
            case MOD -> kv.modRevision();
            case LEASE -> kv.lease();
            case VALUE, UNKNOWN -> 0;
        };
    }

    private static long operand(Compare compare) {
        return compare.target() == Target.UNKNOWN ? 0 : compare.number();
    }

    private static boolean related(Compare compare, int order) {
        return switch (compare.relation()) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case GREATER -> order > 0;
            case LESS -> order < 0;
            case UNKNOWN -> true;
        };
    }

    private static int compareValue(KeyValue kv, Bytes operand) {
        int end = kv.valueFrom() + kv.valueLength();
        byte[] bytes = kv.encoded().array();
        return Arrays.compareUnsigned(
                bytes, kv.valueFrom(), end, operand.array(), 0, operand.length());
    }
}
