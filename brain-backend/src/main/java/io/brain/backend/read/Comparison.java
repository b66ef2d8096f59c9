package io.brain.backend.read;

import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Arrays;

/** Evaluates a {@link Compare} against one key, as etcd does. */
final class Comparison {
    private static final KeyValue ABSENT = new KeyValue(Bytes.EMPTY, 0, 0, 0, 0, 0, 0);

    private Comparison() {}

    /** Evaluates against a key that exists. */
    static boolean holds(Compare compare, KeyValue kv) {
        int order =
                switch (compare.target()) {
                    case VERSION -> Long.compare(kv.version(), compare.number());
                    case CREATE -> Long.compare(kv.createRevision(), compare.number());
                    case MOD -> Long.compare(kv.modRevision(), compare.number());
                    case LEASE -> Long.compare(kv.lease(), compare.number());
                    case VALUE -> compareValue(kv, compare.value());
                    case UNKNOWN -> 0;
                };
        return switch (compare.relation()) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case GREATER -> order > 0;
            case LESS -> order < 0;
            case UNKNOWN -> true;
        };
    }

    /** Evaluates against a key, or a span, that does not exist: zeros, and never a value. */
    static boolean holdsAbsent(Compare compare) {
        return compare.target() != Target.VALUE && holds(compare, ABSENT);
    }

    private static int compareValue(KeyValue kv, Bytes value) {
        int end = kv.valueFrom() + kv.valueLength();
        return Arrays.compareUnsigned(
                kv.encoded().array(), kv.valueFrom(), end, value.array(), 0, value.length());
    }
}
