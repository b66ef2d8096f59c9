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

    /** True if a branch deletes a range, also in a nested transaction. */
    public boolean deletesRange() {
        return deletesRange(success) || deletesRange(failure);
    }

    private static boolean deletesRange(List<Op> branch) {
        for (int i = 0; i < branch.size(); i++) {
            Op op = branch.get(i);
            if ((op instanceof Op.Delete delete && !delete.span().single())
                    || (op instanceof Op.Nested nested && nested.txn().deletesRange())) {
                return true;
            }
        }
        return false;
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
