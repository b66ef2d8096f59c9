package io.brain.backend.model;

import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Arrays;

/**
 * A condition on the newest state of one key, or of every key of a span (a span without keys is
 * compared like a missing key).
 *
 * @param target the compared property; {@link Target#UNKNOWN} compares 0 with 0
 * @param relation {@link Relation#UNKNOWN} always holds
 * @param number the operand unless the target is VALUE; 0 if absent
 * @param value the operand if the target is VALUE; empty if absent
 */
public record Compare(KeySpan span, Target target, Relation relation, long number, Bytes value) {
    /** A property of a key. Numbers of a missing key are 0; it fails every VALUE compare. */
    public enum Target {
        VERSION,
        CREATE,
        MOD,
        VALUE,
        LEASE,
        UNKNOWN
    }

    /** The relation of property and operand. */
    public enum Relation {
        EQUAL,
        GREATER,
        LESS,
        NOT_EQUAL,
        UNKNOWN
    }

    /**
     * Evaluates the condition for one key, as etcd does.
     *
     * @param kv null for a missing key
     */
    public boolean holds(KeyValue kv) {
        if (target == Target.VALUE) {
            return kv != null && holds(compareValue(kv));
        }
        return holds(Long.compare(numberOf(kv), target == Target.UNKNOWN ? 0 : number));
    }

    private boolean holds(int order) {
        return switch (relation) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case GREATER -> order > 0;
            case LESS -> order < 0;
            case UNKNOWN -> true;
        };
    }

    private long numberOf(KeyValue kv) {
        if (kv == null) {
            return 0;
        }
        return switch (target) {
            case VERSION -> kv.version();
            case CREATE -> kv.createRevision();
            case MOD -> kv.modRevision();
            case LEASE -> kv.lease();
            case VALUE, UNKNOWN -> 0;
        };
    }

    private int compareValue(KeyValue kv) {
        int end = kv.valueFrom() + kv.valueLength();
        byte[] stored = kv.encoded().array();
        return Arrays.compareUnsigned(
                stored, kv.valueFrom(), end, value.array(), 0, value.length());
    }
}
