package io.brain.backend.model;

import java.util.List;

/**
 * If every compare holds the success branch runs, else the failure branch; all of it at one
 * revision.
 */
public record Txn(List<Compare> compares, List<Op> success, List<Op> failure) {
    /** Copies the lists. */
    public Txn {
        compares = List.copyOf(compares);
        success = List.copyOf(success);
        failure = List.copyOf(failure);
    }

    /** One unconditional step. */
    public static Txn of(Op op) {
        return new Txn(List.of(), List.of(op), List.of());
    }

    /** True if both branches only read (a nested transaction counts as a write, as in etcd). */
    public boolean isReadOnly() {
        return reads(success) && reads(failure);
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
