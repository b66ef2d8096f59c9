package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A batch, by store.
 *
 * @param base what the base changes
 * @param redo what the placed stores change
 * @param guarded mutations whose guards the base does not compare
 */
record Split(List<Mutation> base, Redo redo, List<Mutation> guarded) {
    /**
     * Splits a batch.
     *
     * @param copied how far the prefix that moves is copied; null if none moves
     */
    static Split of(WriteBatch batch, Layout layout, Position copied) {
        List<Mutation> base = new ArrayList<>();
        List<Mutation> guarded = new ArrayList<>();
        SortedMap<String, List<Mutation>> changes = new TreeMap<>();
        for (Mutation mutation : batch.mutations()) {
            Bytes key = mutation.key();
            Placement placement = layout.placementOf(key);
            if (placement == null) {
                base.add(mutation);
                continue;
            }
            Mutation plain = Redo.change(key, mutation.newValue());
            if (placement.store().equals(Placement.BASE)) {
                base.add(mutation);
            } else {
                add(placement.store(), plain, changes);
                if (mutation.isGuarded()) {
                    guarded.add(mutation);
                }
            }
            if (placement.state() == Placement.State.MOVING && copied.isPast(key)) {
                if (placement.other().equals(Placement.BASE)) {
                    base.add(plain);
                } else {
                    add(placement.other(), plain, changes);
                }
            }
        }
        return new Split(base, new Redo(changes), guarded);
    }

    /**
     * Why it cannot be committed; null: it can.
     *
     * @param before the newest state
     * @throws StorageException why a store does not take it, or cannot be read
     */
    CommitResult refusal(View before, Layout layout, Map<String, PlacedStore> stores) {
        redo.changes().forEach((name, changes) -> stores.get(name).requireFit(changes));
        // A store that cannot be read will not be written: better before the commit than after.
        redo.changes().keySet().stream().filter(layout.stores()::contains).forEach(before::of);
        for (Mutation mutation : guarded) {
            Bytes actual = before.get(mutation.key());
            if (!mutation.holds(actual)) {
                return new CommitResult.Conflict(mutation.key(), Optional.ofNullable(actual));
            }
        }
        return null;
    }

    private static void add(
            String store, Mutation change, SortedMap<String, List<Mutation>> changes) {
        changes.computeIfAbsent(store, name -> new ArrayList<>()).add(change);
    }
}
