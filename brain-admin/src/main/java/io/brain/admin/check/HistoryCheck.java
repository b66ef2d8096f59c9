package io.brain.admin.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * Checks the history: each version can be decoded, its key has a newer head, and compaction should
 * not have removed it.
 */
final class HistoryCheck {
    private final CheckedStore store;

    /** Internal key of a version of the current user key; null before the first. */
    private Bytes current;

    private Bytes key;

    /** The key's head; null if it cannot be read. */
    private Bytes head;

    /** 0 if unknown. */
    private long headRevision;

    /** Revision that replaced the next version; 0 if unknown. */
    private long replacedAt;

    HistoryCheck(CheckedStore store) {
        this.store = store;
    }

    /** Reads the whole history; runs {@code progress} after each version. */
    void run(Runnable progress) {
        new SkippingScan(store.snapshot(), store.coder().history())
                .run(
                        (at, value) -> {
                            store.totals().bytes += at.length() + value.length();
                            check(at, value);
                            progress.run();
                        },
                        this::gap);
    }

    private void check(Bytes at, Bytes value) {
        if (!store.coder().isHistoryKey(at)) {
            store.findings().store("version with an invalid key: " + at);
            return;
        }
        if (current == null || !KeyCoder.sameUserKey(current, at)) {
            begin(at);
        }
        if (value.equals(head) && KeyCoder.revisionOf(at) == headRevision) {
            // A copy for a wide delete, which counts once the head is replaced.
            store.totals().bytes -= at.length() + value.length();
            return;
        }
        store.totals().versions++;
        long revision = KeyCoder.revisionOf(at);
        if (replacedAt != 0 && replacedAt <= revision) {
            damaged(revision, "is in the history, but the head has revision " + replacedAt);
        }
        try {
            check(revision, VersionRecord.decode(value));
        } catch (StorageException undecodable) {
            damaged(revision, "cannot be decoded: " + undecodable.getMessage());
        }
        replacedAt = revision;
    }

    private void gap(Bytes before, Bytes after, StorageException cause) {
        store.findings().gap("history", before, after, cause);
        current = null;
        if (after != null && store.coder().isHistoryKey(after)) {
            begin(after);
            replacedAt = 0;
        }
    }

    /** Starts with the newest version of the next key, which its head replaced. */
    private void begin(Bytes at) {
        current = at;
        key = store.coder().keyOfHistory(at);
        headRevision = 0;
        replacedAt = 0;
        head = null;
        long revision = KeyCoder.revisionOf(at);
        try {
            head = store.snapshot().get(store.coder().headKey(key));
            if (head == null) {
                damaged(revision, "is in the history of a key without a head");
                return;
            }
            headRevision = VersionRecord.decode(head).revision();
            replacedAt = headRevision;
        } catch (StorageException reported) {
            Findings.requireDamage(reported); // by HeadCheck
        }
    }

    private void check(long revision, VersionRecord version) {
        store.counts().stored(revision);
        if (version.revision() != revision) {
            damaged(revision, "contains another revision, " + version.revision());
        } else if (store.isSound(key, version)
                && replacedAt != 0
                && replacedAt <= store.compact().finished()) {
            damaged(revision, "was replaced, but compaction did not remove it");
        }
    }

    private void damaged(long revision, String damage) {
        store.findings().key(key, revision, damage);
    }
}
