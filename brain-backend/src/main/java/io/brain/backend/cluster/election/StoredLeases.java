package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.KeyIndex;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads stored leases and the keys attached to them. Blocks. */
final class StoredLeases {
    private StoredLeases() {}

    /** All leases of a snapshot, by id. */
    static Map<Long, LeaseRecord> read(KeyCoder coder, Snapshot snapshot) {
        Map<Long, LeaseRecord> leases = new HashMap<>();
        try (Cursor cursor = snapshot.cursor(coder.leases(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                leases.put(coder.leaseId(cursor.key()), LeaseRecord.decode(cursor.value()));
            }
        }
        return leases;
    }

    /** Passes the keys that are attached to any lease; an exception ends it. */
    static void forEachAttachedKey(Store store, Consumer<Bytes> keys) {
        KeyCoder coder = store.coder();
        try (Snapshot snapshot = store.open();
                Cursor cursor =
                        snapshot.cursor(coder.attachments().range(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                keys.accept(coder.attachments().userKey(cursor.key()));
            }
        }
    }

    /** Fails if a caller may not write all keys that are attached to a lease. */
    static void requireWrite(Store store, long lease, AuthState state, Caller caller) {
        KeyIndex attachments = store.coder().attachments();
        try (Snapshot snapshot = store.open();
                Cursor cursor = snapshot.cursor(attachments.of(lease), Cursor.Direction.FORWARD)) {
            state.requireWriteOfAll(
                    caller,
                    from ->
                            cursor.seek(attachments.key(lease, from))
                                    ? attachments.userKey(cursor.key())
                                    : null);
        }
    }

    /** The keys that are attached to a lease, in order. */
    static List<Bytes> attachedKeys(Store store, long lease) {
        KeyCoder coder = store.coder();
        List<Bytes> keys = new ArrayList<>();
        try (Snapshot snapshot = store.open();
                Cursor cursor =
                        snapshot.cursor(coder.attachments().of(lease), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                keys.add(coder.attachments().userKey(cursor.key()));
            }
        }
        return keys;
    }
}
