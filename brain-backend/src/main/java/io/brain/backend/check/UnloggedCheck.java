package io.brain.backend.check;

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
 * Names the versions that the commit log does not know; used when their number shows that there are
 * some. Looks into the log for each one in question.
 */
final class UnloggedCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final RevisionCounts counts;
    private final Findings findings;

    UnloggedCheck(Snapshot snapshot, KeyCoder coder, RevisionCounts counts, Findings findings) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.counts = counts;
        this.findings = findings;
    }

    /** Reads all keys again. */
    void run() {
        new Walk(snapshot, coder.heads()).run(this);
        new Walk(snapshot, coder.history()).run(this);
    }

    @Override
    public void pair(Bytes at, Bytes value) {
        boolean head = coder.heads().contains(at);
        if (!head && !coder.isHistoryKey(at)) {
            return;
        }
        Bytes key = head ? coder.keyOfHead(at) : coder.keyOfHistory(at);
        VersionRecord version;
        try {
            version = VersionRecord.decode(value);
        } catch (StorageException undecodable) {
            return; // which was told
        }
        long revision = version.revision();
        if (!counts.agree(revision) && !isLogged(key, revision, version.isTombstone())) {
            findings.key(key, revision, "is not in the commit log");
        }
    }

    @Override
    public void gap(Bytes before, Bytes after, StorageException why) {
        throw why; // the store changed under the check: the first walk met no gap
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
