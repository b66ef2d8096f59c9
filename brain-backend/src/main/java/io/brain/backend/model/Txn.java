package io.brain.backend.model;

import java.util.List;

/** A transaction: runs the success branch if every compare holds, else the failure branch. */
public record Txn(List<Compare> compares, List<Op> success, List<Op> failure) {
    /** Copies the lists. */
    public Txn {
        compares = List.copyOf(compares);
        success = List.copyOf(success);
        failure = List.copyOf(failure);
    }

    /** A single unconditional operation. */
    public static Txn of(Op op) {
        return new Txn(List.of(), List.of(op), List.of());
    }

    /** True if both branches only have ranges (a nested transaction is a write, as in etcd). */
    public boolean isReadOnly() {
        return reads(success) && reads(failure);
    }

    /** Number of ranges that its branches delete, also in nested transactions. */
    public int rangeDeletes() {
        return rangeDeletes(success) + rangeDeletes(failure);
    }

    private static int rangeDeletes(List<Op> branch) {
        int count = 0;
        for (int i = 0; i < branch.size(); i++) {
            Op op = branch.get(i);
            if (op instanceof Op.Delete delete && !delete.span().single()) {
                count++;
            } else if (op instanceof Op.Nested nested) {
                count += nested.txn().rangeDeletes();
            }
        }
        return count;
    }

    private static boolean reads(List<Op> branch) {
        for (int i = 0; i < branch.size(); i++) {
            if (!(branch.get(i) instanceof Op.Range)) {
                return false;
            }
        }
        return true;
    }
}
