package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.storage.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * etcd's rule that a branch must not put a key twice, nor put what it deletes. Deletes may overlap
 * each other. As in etcd, a delete "from key on" counts as empty here, and a nested put is not held
 * against a delete that a later nested transaction makes.
 */
final class OverlapCheck {
    private final Set<Bytes> puts = new HashSet<>();

    /** Deleted keys as disjoint ranges, start to end. */
    private final TreeMap<Bytes, Bytes> deletes = new TreeMap<>();

    private OverlapCheck() {}

    /**
     * Passes, or throws.
     *
     * @throws BackendException DUPLICATE_KEY
     */
    static void check(List<Op> branch) {
        // A single step overlaps with nothing, and most branches have none or one.
        if (branch.size() > 1 || (branch.size() == 1 && branch.get(0) instanceof Op.Nested)) {
            of(branch);
        }
    }

    private static OverlapCheck of(List<Op> branch) {
        OverlapCheck check = new OverlapCheck();
        for (Op op : branch) {
            if (op instanceof Op.Delete delete) {
                check.addDelete(delete.span());
            }
        }
        for (Op op : branch) {
            if (op instanceof Op.Nested nested) {
                check.addNested(of(nested.txn().success()), of(nested.txn().failure()));
            }
        }
        for (Op op : branch) {
            if (op instanceof Op.Put put) {
                check.addPut(put.key());
            }
        }
        return check;
    }

    /** Only one of the two branches will run, so they may put the same keys. */
    private void addNested(OverlapCheck success, OverlapCheck failure) {
        success.puts.forEach(this::addPut);
        for (Bytes key : failure.puts) {
            if (success.puts.contains(key)) {
                requireNotDeleted(key);
            } else {
                addPut(key);
            }
        }
        success.deletes.forEach(this::addDelete);
        failure.deletes.forEach(this::addDelete);
    }

    private void addPut(Bytes key) {
        requireNotDeleted(key);
        if (!puts.add(key)) {
            throw new BackendException(ErrorKind.DUPLICATE_KEY);
        }
    }

    private void requireNotDeleted(Bytes key) {
        Map.Entry<Bytes, Bytes> below = deletes.floorEntry(key);
        if (below != null && below.getValue().compareTo(key) > 0) {
            throw new BackendException(ErrorKind.DUPLICATE_KEY);
        }
    }

    private void addDelete(KeySpan span) {
        if (span.end() != null && !span.isEmpty()) {
            addDelete(span.key(), span.end());
        }
    }

    private void addDelete(Bytes start, Bytes end) {
        Bytes from = start;
        Bytes to = end;
        Map.Entry<Bytes, Bytes> touching = deletes.floorEntry(to);
        while (touching != null && touching.getValue().compareTo(from) >= 0) {
            deletes.remove(touching.getKey());
            from = touching.getKey().compareTo(from) < 0 ? touching.getKey() : from;
            to = touching.getValue().compareTo(to) > 0 ? touching.getValue() : to;
            touching = deletes.floorEntry(to);
        }
        deletes.put(from, to);
    }
}
