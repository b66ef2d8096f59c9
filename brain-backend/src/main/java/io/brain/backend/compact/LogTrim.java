package io.brain.backend.compact;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;

/**
 * Cuts off the old end of the commit log. Remembers how far it got, so as not to walk again over
 * what it deleted. Used by one thread at a time.
 */
final class LogTrim {
    private final KeyCoder coder;

    /** No entry is before this key. */
    private Bytes start;

    LogTrim(KeyCoder coder) {
        this.coder = coder;
        this.start = coder.log().start();
    }

    /**
     * The key of the first part of the entry that holds a revision; if the revision has no entry,
     * of one before it, or where the log begins.
     */
    static Bytes entryOf(long revision, Snapshot snapshot, KeyCoder coder) {
        KeyRange log = coder.log();
        if (revision < 0) {
            return log.start();
        }
        try (Cursor cursor = snapshot.cursor(log, Cursor.Direction.REVERSE)) {
            boolean found = cursor.seek(coder.logKey(revision, Integer.MAX_VALUE));
            return found ? coder.logKey(coder.logRevision(cursor.key()), 0) : log.start();
        }
    }

    /**
     * Deletes for the next entries whose revisions are all below {@code revision}; null if there
     * are none.
     *
     * @param bytesMax bytes of keys after which the batch ends
     */
    WriteBatch next(long revision, Snapshot snapshot, long bytesMax) {
        Bytes kept = entryOf(revision, snapshot, coder);
        WriteBatch.Builder deletes = WriteBatch.builder().unsynced();
        KeyRange old = new KeyRange(start, kept);
        if (!old.isEmpty()) {
            try (Cursor cursor = snapshot.cursor(old, Cursor.Direction.FORWARD)) {
                while (deletes.bytes() < bytesMax && cursor.next()) {
                    deletes.delete(cursor.key());
                    // Not the key itself: a snapshot of the past still has it when asked again.
                    start = cursor.key().successor();
                }
            }
        }
        if (deletes.size() > 0) {
            return deletes.build();
        }
        start = kept;
        return null;
    }

    /** Forgets how far it got: the last deletes may not have happened. */
    void startOver() {
        start = coder.log().start();
    }
}
