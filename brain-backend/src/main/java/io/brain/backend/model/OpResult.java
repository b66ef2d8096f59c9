package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * The answer to one {@link Op}. Every {@code revision} is what etcd puts in that answer's header;
 * every KeyValue is an encoded mvccpb.KeyValue, as stored.
 */
public sealed interface OpResult {
    /** The header's revision. */
    long revision();

    /**
     * A read's answer.
     *
     * @param kvs encoded KeyValues in the asked order
     * @param more true if the limit cut matching keys off
     * @param count keys in the span at the revision read, before filters and limit
     */
    record Range(long revision, List<Bytes> kvs, boolean more, long count) implements OpResult {}

    /**
     * A put's answer.
     *
     * @param prevKv the replaced KeyValue; null if it was not asked for or there was none
     */
    record Put(long revision, Bytes prevKv) implements OpResult {}

    /**
     * A delete's answer.
     *
     * @param prevKvs the deleted KeyValues in key order; empty if they were not asked for
     */
    record Delete(long revision, long deleted, List<Bytes> prevKvs) implements OpResult {}

    /**
     * A transaction's answer.
     *
     * @param revision the header's revision; for a nested transaction etcd's answer shows 0 instead
     * @param results one per step of the branch that ran
     */
    record Txn(long revision, boolean succeeded, List<OpResult> results) implements OpResult {}
}
