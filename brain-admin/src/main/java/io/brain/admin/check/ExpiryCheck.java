package io.brain.admin.check;

import io.brain.backend.store.KeyIndex;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * Checks expiry records: none names a version that never was. One of a version that was replaced is
 * sound: no rule matched the key then.
 */
final class ExpiryCheck {
    private final CheckedStore store;
    private final KeyIndex index;

    ExpiryCheck(CheckedStore store) {
        this.store = store;
        this.index = store.coder().expiries();
    }

    void run() {
        store.scan("expiry records", index.range(), this::check);
    }

    private void check(Bytes at, Bytes value) {
        if (!index.isKey(at)
                || index.userKey(at).isEmpty()
                || !store.contains(index.number(at))
                || value.length() != Long.BYTES) {
            store.findings().store("invalid expiry record: " + at);
            return;
        }
        Bytes key = index.userKey(at);
        long revision = index.number(at);
        try {
            Bytes head = store.snapshot().get(store.coder().headKey(key));
            if (head != null && VersionRecord.decode(head).revision() < revision) {
                store.findings().key(key, revision, "has an expiry record, but no such version");
            }
        } catch (StorageException unreadable) {
            store.findings().unreadable(key, revision, unreadable);
        }
    }
}
