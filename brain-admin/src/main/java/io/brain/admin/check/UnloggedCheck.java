package io.brain.admin.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Finds the versions missing in the commit log, once {@link RevisionCounts} shows that some are.
 */
final class UnloggedCheck {
    private final CheckedStore store;
    private final Snapshot snapshot;
    private final KeyCoder coder;

    UnloggedCheck(CheckedStore store) {
        this.store = store;
        snapshot = store.snapshot();
        coder = store.coder();
    }

    /** Reads all versions again. */
    void run() {
        store.scan("heads", coder.heads(), (at, value) -> check(coder.keyOfHead(at), value));
        store.scan(
                "history",
                coder.history(),
                (at, value) -> {
                    if (coder.isHistoryKey(at)) {
                        check(coder.keyOfHistory(at), value);
                    }
                });
    }

    private void check(Bytes key, Bytes value) {
        VersionRecord version;
        try {
            version = VersionRecord.decode(value);
        } catch (StorageException reported) {
            return;
        }
        long revision = version.revision();
        if (!store.counts().agree(revision) && !isLogged(key, revision, version.isTombstone())) {
            store.findings().key(key, revision, "is not in the commit log");
        }
    }

    private boolean isLogged(Bytes key, long revision, boolean tombstone) {
        KeyRange log = coder.log();
        Bytes start = log.start();
        try (Cursor cursor = snapshot.cursor(log, Cursor.Direction.REVERSE)) {
            if (cursor.seek(coder.logKey(revision, 0))) {
                start = cursor.key();
            }
        }
        try (Cursor cursor =
                snapshot.cursor(new KeyRange(start, log.end()), Cursor.Direction.FORWARD)) {
            while (cursor.next() && coder.logRevision(cursor.key()) <= revision) {
                for (LogEvent event : LogEntry.decode(cursor.value()).events()) {
                    if (event.revision() == revision
                            && event.delete() == tombstone
                            && event.inline() == null
                            && event.key().equals(key)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
