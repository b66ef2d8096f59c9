package io.brain.backend.model;

import io.brain.storage.Bytes;

/**
 * A client's condition on the newest state of one key, or of every key of a span (a span without
 * keys is compared like a missing key).
 *
 * @param span the keys
 * @param target which property; {@link Target#UNKNOWN} compares 0 with 0
 * @param relation how; {@link Relation#UNKNOWN} always holds
 * @param number what is compared with, unless the target is VALUE; 0 if the request left it out
 * @param value what is compared with if the target is VALUE; empty if the request left it out
 */
public record Compare(KeySpan span, Target target, Relation relation, long number, Bytes value) {
    /**
     * The property that is compared. A missing key has 0 for numbers and fails every VALUE compare.
     */
    public enum Target {
        VERSION,
        CREATE,
        MOD,
        VALUE,
        LEASE,
        UNKNOWN
    }

    /** The relation that must hold between the key's property and the request's operand. */
    public enum Relation {
        EQUAL,
        GREATER,
        LESS,
        NOT_EQUAL,
        UNKNOWN
    }
}
