package io.brain.backend.txn;

import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import java.util.List;

/**
 * Keys that the engine can store. etcd bounds a key by its request alone; an engine may take less,
 * and a batch with a longer key could never land.
 *
 * @param bytesMax of a stored key
 */
public record KeyLimit(KeyCoder coder, int bytesMax) {
    /** True if every key that a transaction could store is short enough. */
    public boolean admits(Txn txn, int wireBytes) {
        // A request is longer than its keys; escaping doubles them at most.
        return coder.historyKeyLengthMax(wireBytes) <= bytesMax
                || (admits(txn.success()) && admits(txn.failure()));
    }

    private boolean admits(List<Op> ops) {
        for (Op op : ops) {
            if (op instanceof Op.Put put && coder.historyKeyLength(put.key()) > bytesMax) {
                return false;
            }
            if (op instanceof Op.Nested nested
                    && !(admits(nested.txn().success()) && admits(nested.txn().failure()))) {
                return false;
            }
        }
        return true;
    }
}
