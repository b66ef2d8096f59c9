package io.brain.backend.store;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.io.IOException;

/**
 * Scans all changes of a snapshot up to a revision: those above the compact revision, and of each
 * key the last one up to it, which compaction keeps if it is not a delete. The result does not
 * depend on what compaction has removed yet. Used by one thread.
 *
 * <p>Versions come in order of keys. A change that a later one of the same revision overwrote is
 * only in the commit log, which is scanned last.
 */
public final class HistoryScan {
    /** Receives the changes. */
    public interface Visitor {
        /**
         * Receives a version, the newest of a key first.
         *
         * @param newest true if it is the first one of the key
         */
        void version(Bytes key, VersionRecord version, boolean newest) throws IOException;

        /** Receives a change in the commit log, in order; its version comes before, or inline. */
        void logged(LogEvent event) throws IOException;
    }

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final long floor;
    private final long revision;
    private final Runnable check;

    /** Begins with the stored form of the current version. */
    private byte[] stored = new byte[1 << 10];

    /**
     * A scan.
     *
     * @param floor the compact revision; -1 if never compacted
     * @param revision the last revision, not below the floor
     * @param check called often; throws to cancel
     */
    public HistoryScan(
            Snapshot snapshot, KeyCoder coder, long floor, long revision, Runnable check) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.floor = floor;
        this.revision = revision;
        this.check = check;
    }

    /** Passes all changes. */
    public void run(Visitor visitor) throws IOException {
        scanKeys(visitor);
        scanLog(visitor);
    }

    private void scanKeys(Visitor visitor) throws IOException {
        try (Cursor heads = snapshot.cursor(coder.heads(), Cursor.Direction.FORWARD);
                Cursor history = snapshot.cursor(coder.history(), Cursor.Direction.FORWARD)) {
            boolean more = history.next();
            while (heads.next()) {
                Bytes key = coder.keyOfHead(heads.key());
                Bytes end = coder.historyKey(key, 0);
                KeyVersions versions = new KeyVersions(key, visitor);
                versions.next(heads);
                while (more && history.key().compareTo(end) < 0) {
                    versions.next(history);
                    more = history.next();
                }
            }
        }
    }

    /** Copies the current value into {@link #stored}; returns its length. */
    private int load(Cursor cursor) {
        int length = cursor.copyValue(stored, 0);
        if (length > stored.length) {
            stored = new byte[length];
            cursor.copyValue(stored, 0);
        }
        return length;
    }

    private void scanLog(Visitor visitor) throws IOException {
        long from = Math.max(floor + 1, LogScan.REVISION_MIN);
        if (from > revision) {
            return;
        }
        try (LogScan log = new LogScan(snapshot, coder, from)) {
            LogEvent event = log.next();
            for (; event != null && event.revision() <= revision; event = log.next()) {
                check.run();
                visitor.logged(event);
            }
            if (event == null) {
                log.requireReached(revision);
            }
        }
    }

    /** The versions of a key, newest first. */
    private final class KeyVersions {
        private final Bytes key;
        private final Visitor visitor;
        private boolean seen;

        /** Revision of the last version: the history may have the head as well. */
        private long last = -1;

        /** True if the last version up to the floor was passed. */
        private boolean ended;

        KeyVersions(Bytes key, Visitor visitor) {
            this.key = key;
            this.visitor = visitor;
        }

        void next(Cursor cursor) throws IOException {
            check.run();
            int length = load(cursor);
            long changed = VersionRecord.revision(stored, length);
            if (ended || changed > revision || changed == last) {
                return;
            }
            last = changed;
            visitor.version(key, VersionRecord.decode(stored, length), !seen);
            seen = true;
            ended = changed <= floor;
        }
    }
}
