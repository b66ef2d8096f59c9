package io.brain.backend.compact;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;

/**
 * Deletes the beginning of the commit log. Remembers its position, so that it does not scan deleted
 * entries again. Used by one thread at a time.
 */
final class LogTrim {
    private final KeyCoder coder;

    /** All entries before this key are deleted. */
    private Bytes start;

    LogTrim(KeyCoder coder) {
        this.coder = coder;
        this.start = coder.log().start();
    }

    /**
     * The key of the first entry of a revision; of an earlier entry, or the start of the log, if
     * the revision has none.
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
     * Deletes of the next entries that only have revisions below {@code revision}; null if there
     * are none.
     *
     * @param bytesMax bytes of keys after which the batch ends
     */
    WriteBatch next(long revision, Snapshot snapshot, long bytesMax) {
        Bytes kept = entryOf(revision, snapshot, coder);
        WriteBatch.Builder deletes = WriteBatch.builder();
        KeyRange old = new KeyRange(start, kept);
        if (!old.isEmpty()) {
            try (Cursor cursor = snapshot.cursor(old, Cursor.Direction.FORWARD)) {
                while (deletes.bytes() < bytesMax && cursor.next()) {
                    deletes.delete(cursor.key());
                    // Not the key itself, which an older snapshot may still have.
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

    /** Starts again at the beginning of the log: the last deletes may have failed. */
    void startOver() {
        start = coder.log().start();
    }
}
