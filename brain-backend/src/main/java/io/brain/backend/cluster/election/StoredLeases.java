package io.brain.backend.cluster.election;

import io.brain.backend.lease.LeaseRegistry;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** Leases and the keys attached to them, as they are stored. Blocks. */
final class StoredLeases {
    private final Store store;
    private final KeyCoder coder;

    StoredLeases(Store store) {
        this.store = store;
        this.coder = store.coder();
    }

    /** Puts all of a snapshot into a registry; their time begins at {@code nanos}. */
    void restore(Snapshot snapshot, LeaseRegistry leases, long nanos) {
        try (Cursor cursor = snapshot.cursor(coder.leases(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                LeaseRecord stored = LeaseRecord.decode(cursor.value());
                leases.restore(coder.leaseId(cursor.key()), stored, nanos);
            }
        }
    }

    /** The keys that are attached to a lease now, in their order. */
    List<Bytes> attachedKeys(long lease) {
        List<Bytes> keys = new ArrayList<>();
        try (Snapshot snapshot = store.open();
                Cursor cursor =
                        snapshot.cursor(coder.attachments(lease), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                keys.add(coder.attachedKey(cursor.key()));
            }
        }
        return keys;
    }
}
