package io.brain.backend.check;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks the newest version of every client key: that it can be decoded, that no tombstone is left
 * which compaction has passed, and that a lease knows its key.
 */
final class HeadCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final RevisionCounts counts;
    private final Findings findings;
    private Ticker ticker;
    private long keys;
    private long live;
    private long bytes;

    HeadCheck(CheckedStore store) {
        snapshot = store.snapshot();
        coder = store.coder();
        extent = store.extent();
        counts = store.counts();
        findings = store.findings();
    }

    /** Reads all heads; tells how many of their bytes it has seen. */
    void run(Ticker told) {
        ticker = told;
        new Walk(snapshot, coder.heads()).run(this);
    }

    /** Keys, deleted ones that are remembered included. */
    long keys() {
        return keys;
    }

    /** Keys that exist. */
    long live() {
        return live;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void pair(Bytes at, Bytes value) {
        keys++;
        bytes += at.length() + value.length();
        ticker.reached(bytes);
        Bytes key = coder.keyOfHead(at);
        Version head;
        try {
            head = Version.decode(key, value);
        } catch (StorageException undecodable) {
            findings.key(key, 0, "cannot be decoded: " + undecodable.getMessage());
            return;
        }
        check(key, head);
    }

    @Override
    public void gap(Bytes before, Bytes after, StorageException why) {
        findings.gap(
                "between %s and %s"
                        .formatted(place(before, "the first key"), place(after, "the last key")),
                why);
    }

    private void check(Bytes key, Version head) {
        counts.stored(head.revision());
        live += head.tombstone() ? 0 : 1;
        if (!findings.isSound(key, head, extent)) {
            return;
        }
        if (head.tombstone() && head.revision() < extent.compact().finished()) {
            findings.key(key, head.revision(), "was deleted and compacted, but is still known");
        } else if (head.lease() != 0) {
            checkLease(key, head);
        }
    }

    private void checkLease(Bytes key, Version head) {
        String lease = Long.toHexString(head.lease());
        try {
            if (snapshot.get(coder.attachmentKey(head.lease(), key)) == null) {
                findings.key(key, head.revision(), "is not attached to its lease " + lease);
            }
            if (snapshot.get(coder.leaseKey(head.lease())) == null) {
                findings.key(key, head.revision(), "its lease does not exist: " + lease);
            }
        } catch (StorageException unreadable) {
            findings.unreadable(key, head.revision(), unreadable);
        }
    }

    private String place(Bytes at, String none) {
        return at == null ? none : "key \"%s\"".formatted(coder.keyOfHead(at));
    }
}
