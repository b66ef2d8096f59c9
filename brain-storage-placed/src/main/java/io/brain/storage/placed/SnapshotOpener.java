package io.brain.storage.placed;

import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;

/**
 * Opens snapshots of all stores at one commit, never between its parts. Changed in the {@link
 * CommitQueue} only; any thread opens snapshots, without a lock.
 */
final class SnapshotOpener {
    /**
     * What snapshots are opened of. Replaced whenever a commit begins or ends that changes a placed
     * store, so that a snapshot of several commits is noticed: compared by identity.
     */
    private static final class ReadState {
        private final Layout layout;

        /** Shared by all while the stores are at different commits; null: open one. */
        private final View before;

        /** Stores that lack the newest commit, and why. */
        private final Map<String, StorageException> away;

        /** Why nothing can be read; null: it can. */
        private final StorageException failure;

        ReadState(
                Layout layout,
                View before,
                Map<String, StorageException> away,
                StorageException failure) {
            this.layout = layout;
            this.before = before;
            this.away = away;
            this.failure = failure;
        }
    }

    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private volatile ReadState state;
    private volatile boolean closed;

    SnapshotOpener(KvStorage base, SortedMap<String, PlacedStore> stores, Layout layout) {
        this.base = base;
        this.stores = stores;
        set(layout);
    }

    /** A snapshot of the newest commit. Any thread. */
    Snapshot snapshot() {
        while (true) {
            ReadState now = state;
            if (now.failure != null) {
                throw new StorageException(
                        now.failure.kind(), now.failure.getMessage(), now.failure);
            }
            if (now.before != null) {
                if (now.before.hold()) {
                    return now.before.snapshot();
                }
                continue; // its commit has ended
            }
            View view = open(now);
            if (state == now) {
                return view.snapshot();
            }
            view.leave();
        }
    }

    /** A view for one holder; between commits. */
    View open() {
        return open(state);
    }

    private View open(ReadState now) {
        Map<String, Snapshot> snapshots = new HashMap<>();
        Map<String, StorageException> failures = new HashMap<>(now.away);
        // First, because without the base there is nothing to close.
        snapshots.put(Placement.BASE, base.snapshot());
        for (String name : now.layout.stores()) {
            if (!name.equals(Placement.BASE) && !failures.containsKey(name)) {
                try {
                    snapshots.put(name, stores.get(name).snapshot());
                } catch (StorageException away) {
                    failures.put(name, away);
                }
            }
        }
        return new View(now.layout, snapshots, failures, () -> closed);
    }

    Layout layout() {
        return state.layout;
    }

    /** Everything is at one commit; placements may have changed. */
    void set(Layout layout) {
        state = new ReadState(layout, null, Map.of(), null);
    }

    /** A commit begins: until its end, all see the state before. */
    void share(View before) {
        state = new ReadState(state.layout, before, Map.of(), null);
    }

    /** Stores lack the newest commit; the others are read. */
    void without(Map<String, StorageException> away) {
        state = new ReadState(state.layout, null, Map.copyOf(away), null);
    }

    /** Nobody knows whether the base has the newest commit. */
    void unknown(StorageException cause) {
        state = new ReadState(state.layout, null, Map.of(), cause);
    }

    /** True if something cannot be read before a commit is resolved. Any thread. */
    boolean isInDoubt() {
        ReadState now = state;
        return now.failure != null || !now.away.isEmpty();
    }

    /** Readers learn that the storage closes. */
    void refuseReads() {
        closed = true;
    }
}
