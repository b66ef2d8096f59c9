package io.brain.admin.check;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * Checks all heads: each can be decoded, belongs to its lease, and is no tombstone that compaction
 * should have removed.
 */
final class HeadCheck {
    private final CheckedStore store;

    HeadCheck(CheckedStore store) {
        this.store = store;
    }

    /** Reads all heads; runs {@code progress} after each. */
    void run(Runnable progress) {
        store.scan(
                "heads",
                store.coder().heads(),
                (at, value) -> {
                    store.totals().keys++;
                    store.totals().versions++;
                    store.totals().bytes += at.length() + value.length();
                    check(store.coder().keyOfHead(at), value);
                    progress.run();
                });
    }

    private void check(Bytes key, Bytes value) {
        try {
            VersionRecord head = VersionRecord.decode(value);
            if (key.isEmpty() && head.isTombstone()) {
                return; // the marker is not in the commit log
            }
            store.counts().stored(head.revision());
            store.totals().liveKeys += head.isTombstone() ? 0 : 1;
            if (!store.isSound(key, head)) {
                return;
            }
            long lease = KeyValue.decode(head.kv()).lease();
            if (head.isTombstone() && head.revision() < store.compact().finished()) {
                damaged(key, head, "is a tombstone that compaction did not remove");
            } else if (lease != 0) {
                checkLease(key, head, lease);
            }
        } catch (StorageException undecodable) {
            store.findings().key(key, 0, "cannot be decoded: " + undecodable.getMessage());
        }
    }

    private void checkLease(Bytes key, VersionRecord head, long lease) {
        try {
            if (store.snapshot().get(store.coder().attachments().key(lease, key)) == null) {
                damaged(key, head, "is not attached to its lease %x".formatted(lease));
            }
            if (store.snapshot().get(store.coder().leaseKey(lease)) == null) {
                damaged(key, head, "its lease %x does not exist".formatted(lease));
            }
        } catch (StorageException unreadable) {
            store.findings().unreadable(key, head.revision(), unreadable);
        }
    }

    private void damaged(Bytes key, VersionRecord head, String damage) {
        store.findings().key(key, head.revision(), damage);
    }
}
