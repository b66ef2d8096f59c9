package io.brain.server.metrics;

import io.brain.backend.model.Compare;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts ranges, puts and deletes as etcd's store does: reads for a compare, for a previous
 * KeyValue and by a compaction count as ranges. Thread-safe.
 */
final class OperationCounts {
    private final LongAdder ranges = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder deletes = new LongAdder();
    private final LongAdder txns = new LongAdder();
    private final LongAdder putBytes = new LongAdder();

    /** Counts a range outside a transaction, or a compaction. */
    void range() {
        ranges.increment();
    }

    /** Counts a transaction. */
    void txn(Txn txn, OpResult.Txn done) {
        if (count(txn, done) > 1) {
            txns.increment();
        }
    }

    void writeTo(MetricsText text) {
        text.counter("etcd_mvcc_range_total", "Ranges seen by this member.").value(ranges.sum());
        text.counter("etcd_mvcc_put_total", "Puts seen by this member.").value(puts.sum());
        text.counter("etcd_mvcc_delete_total", "Deletes seen by this member.").value(deletes.sum());
        text.counter("etcd_mvcc_txn_total", "Txns seen by this member.").value(txns.sum());
        text.gauge(
                        "etcd_debugging_mvcc_total_put_size_in_bytes",
                        "Bytes of keys and values put through this member.")
                .value(putBytes.sum());
    }

    private int count(Txn txn, OpResult.Txn done) {
        int operations = compared(txn.compares(), done.succeeded());
        ranges.add(operations);
        List<Op> branch = done.succeeded() ? txn.success() : txn.failure();
        for (int i = 0; i < branch.size(); i++) {
            operations += count(branch.get(i), done.results().get(i));
        }
        return operations;
    }

    private int count(Op op, OpResult done) {
        if (op instanceof Op.Nested nested) {
            return count(nested.txn(), (OpResult.Txn) done);
        }
        boolean reads;
        if (op instanceof Op.Put put) {
            puts.increment();
            putBytes.add((long) put.key().length() + put.value().length());
            reads = put.prevKv() || put.ignoreValue() || put.ignoreLease();
        } else if (op instanceof Op.Delete delete) {
            deletes.increment();
            reads = delete.prevKv();
        } else {
            ranges.increment();
            return 1;
        }
        if (reads) {
            ranges.increment();
        }
        return reads ? 2 : 1;
    }

    /** Number of evaluated compares; at least one if a compare failed. */
    private static int compared(List<Compare> compares, boolean succeeded) {
        return succeeded ? compares.size() : 1;
    }
}
