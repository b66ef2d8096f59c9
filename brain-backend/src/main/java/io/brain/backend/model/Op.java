package io.brain.backend.model;

import io.brain.storage.Bytes;

/** One step of a transaction's branch. */
public sealed interface Op {
    /** A read. */
    record Range(RangeQuery query) implements Op {}

    /**
     * Stores a value.
     *
     * @param lease the lease to attach to, 0 for none
     * @param prevKv answer with the replaced KeyValue
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
     * @param prevKv answer with the deleted KeyValues
     */
    record Delete(KeySpan span, boolean prevKv) implements Op {}

    /** A nested transaction. Its compares see the state before the outermost transaction. */
    record Nested(Txn txn) implements Op {}
}
