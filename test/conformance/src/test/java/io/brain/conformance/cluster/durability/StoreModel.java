package io.brain.conformance.cluster.durability;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What the store must hold after a history of changes: a few thousand keys at most. */
final class StoreModel {

    /** One live key, with etcd's numbers. */
    record Item(String token, long lease, long createRevision, long modRevision, long version) {}

    private final NavigableMap<String, Item> items = new TreeMap<>();

    NavigableMap<String, Item> items() {
        return items;
    }

    /** The key's newest modification, 0 for a key that does not live. */
    long modRevision(String key) {
        Item item = items.get(key);
        return item == null ? 0 : item.modRevision();
    }

    /** The lease that the key is attached to; 0 for none and for a key that does not live. */
    long lease(String key) {
        Item item = items.get(key);
        return item == null ? 0 : item.lease();
    }

    /** The live keys attached to a lease, in key order. */
    List<String> attached(long lease) {
        return items.entrySet().stream()
                .filter(e -> e.getValue().lease() == lease)
                .map(e -> e.getKey())
                .toList();
    }

    /** The events that this write makes if it happens now. */
    List<Change> changesOf(Write write) {
        if (write instanceof Write.Put put) {
            return List.of(Change.put(put.key(), put.token(), put.lease()));
        } else if (write instanceof Write.PutAll all) {
            return all.keys().stream().map(key -> Change.put(key, all.token(), 0)).toList();
        } else if (write instanceof Write.Move move) {
            List<Change> changes = new ArrayList<>();
            move.puts().forEach(key -> changes.add(Change.put(key, move.token(), 0)));
            changes.addAll(deletes(move.deletes().stream().filter(items::containsKey).toList()));
            return changes;
        } else if (write instanceof Write.Swap swap) {
            return modRevision(swap.key()) == swap.expectedModRevision()
                    ? List.of(Change.put(swap.key(), swap.token(), 0))
                    : List.of();
        } else if (write instanceof Write.Delete delete) {
            return deletes(items.subMap(delete.key(), true, delete.end(), false).keySet());
        } else if (write instanceof Write.Revoke revoke) {
            return deletes(attached(revoke.lease()));
        } else if (write instanceof Write.Expire expire) {
            return deletes(attached(expire.lease()));
        }
        throw new IllegalArgumentException("unknown write " + write);
    }

    void apply(long revision, List<Change> changes) {
        for (Change change : changes) {
            if (change.token().isEmpty()) {
                items.remove(change.key());
            } else {
                Item old = items.get(change.key());
                long created = old == null ? revision : old.createRevision();
                long version = old == null ? 1 : old.version() + 1;
                String token = change.token().get();
                items.put(
                        change.key(), new Item(token, change.lease(), created, revision, version));
            }
        }
    }

    private static List<Change> deletes(Iterable<String> keys) {
        List<Change> changes = new ArrayList<>();
        keys.forEach(key -> changes.add(Change.delete(key)));
        return changes;
    }
}
