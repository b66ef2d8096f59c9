package io.brain.backend.model;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * Result of an {@link Op}. {@code revision} is the revision of etcd's response header; a KeyValue
 * is an encoded mvccpb.KeyValue, as stored.
 */
public sealed interface OpResult {
    long revision();

    /**
     * Result of a range.
     *
     * @param kvs KeyValues in the requested order
     * @param more true if the limit omitted matching keys
     * @param count keys of the span, before filters and limit
     */
    record Range(long revision, List<Bytes> kvs, boolean more, long count) implements OpResult {}

    /**
     * Result of a put.
     *
     * @param prevKv the replaced KeyValue; null if absent or not requested
     */
    record Put(long revision, Bytes prevKv) implements OpResult {}

    /**
     * Result of a delete.
     *
     * @param prevKvs the deleted KeyValues in key order; empty if not requested
     */
    record Delete(long revision, long deleted, List<Bytes> prevKvs) implements OpResult {}

    /**
     * Result of a transaction.
     *
     * @param revision not in the response of a nested transaction, which has 0
     * @param results one per operation of the executed branch
     */
    record Txn(long revision, boolean succeeded, List<OpResult> results) implements OpResult {}
}
