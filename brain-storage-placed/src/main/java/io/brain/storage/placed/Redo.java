package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the last commit over several stores changes in the placed ones: in the base from the commit
 * on, so that it can be repeated.
 *
 * @param changes by store: puts and deletes without guards
 */
record Redo(SortedMap<String, List<Mutation>> changes) {
    static final Redo NONE = new Redo(new TreeMap<>());

    boolean isEmpty() {
        return changes.isEmpty();
    }

    Bytes encode() {
        return Records.encode(
                out -> {
                    out.writeInt(changes.size());
                    for (var one : changes.entrySet()) {
                        out.writeUTF(one.getKey());
                        out.writeInt(one.getValue().size());
                        for (Mutation mutation : one.getValue()) {
                            Bytes value = mutation.newValue();
                            Records.writeBytes(out, mutation.key());
                            Records.writeBytes(out, value == null ? Bytes.EMPTY : value);
                        }
                    }
                });
    }

    static Redo decode(Bytes record) {
        return Records.decode(
                "the redo record",
                record,
                in -> {
                    SortedMap<String, List<Mutation>> changes = new TreeMap<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        String name = in.readUTF();
                        List<Mutation> mutations = new ArrayList<>();
                        for (int more = in.readInt(); more > 0; more--) {
                            mutations.add(change(Records.readBytes(in), Records.readBytes(in)));
                        }
                        changes.put(name, mutations);
                    }
                    return new Redo(changes);
                });
    }

    /** A change without a guard; a null or empty value deletes. */
    static Mutation change(Bytes key, Bytes value) {
        return value == null || value.isEmpty()
                ? new Mutation.Delete(key)
                : new Mutation.Put(key, value);
    }
}
