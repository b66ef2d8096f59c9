package io.brain.backend.model;

import io.brain.storage.Bytes;

/** An operation of a transaction. */
public sealed interface Op {
    record Range(RangeQuery query) implements Op {}

    /**
     * Puts a value.
     *
     * @param lease the lease to attach to; 0: none
     * @param prevKv return the replaced KeyValue
     * @param ignoreValue keep the key's value; the key must exist
     * @param ignoreLease keep the key's lease; the key must exist
     */
    record Put(
            Bytes key,
            Bytes value,
            long lease,
            boolean prevKv,
            boolean ignoreValue,
            boolean ignoreLease)
            implements Op {}

    /**
     * Deletes the keys of a span.
     *
     * @param prevKv return the deleted KeyValues
     */
    record Delete(KeySpan span, boolean prevKv) implements Op {}

    /** A nested transaction. Its compares read the state before the outermost transaction. */
    record Nested(Txn txn) implements Op {}
}
