package io.brain.backend.compact;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A step of compaction along the commit log, from a finished compaction at revision {@code from} to
 * one at {@code through}. It removes versions of the history that changes in (from, through]
 * replaced, and heads that are tombstones of [from, through). Each version belongs to exactly one
 * step.
 *
 * <p>Read in pieces, so that a revision with very many changes fits in memory. Used by one thread
 * at a time.
 */
final class CompactionStep {
    private final KeyCoder coder;
    private final long from;
    private final long through;

    /** Start of the next piece; null at the end. */
    private Bytes next;

    private long bytes;

    private CompactionStep(KeyCoder coder, long from, long through, Bytes next) {
        this.coder = coder;
        this.from = from;
        this.through = through;
        this.next = next;
    }

    /**
     * Plans a step of complete revisions; reads only keys of the log.
     *
     * @param finished the last finished compaction
     * @param target the step's last possible revision; greater than {@code finished}
     * @param revisionsMax revisions after which the step ends with a log entry
     */
    static CompactionStep plan(
            Snapshot snapshot, KeyCoder coder, long finished, long target, int revisionsMax) {
        Bytes start = LogTrim.entryOf(finished, snapshot, coder);
        long through = target;
        KeyRange rest = new KeyRange(start, coder.log().end());
        try (Cursor cursor = snapshot.cursor(rest, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                long first = coder.logRevision(cursor.key());
                if (first > target) {
                    break;
                }
                if (first > finished + revisionsMax) {
                    through = first - 1;
                    break;
                }
            }
        }
        return new CompactionStep(coder, finished, through, start);
    }

    /** The compaction that is finished after the step. */
    long through() {
        return through;
    }

    /** Bytes of the versions in the pieces read so far. */
    long bytes() {
        return bytes;
    }

    boolean hasNext() {
        return next != null;
    }

    /**
     * Reads the next piece.
     *
     * @param bytesMax bytes of keys after which the piece ends with a log entry
     */
    Piece next(Snapshot snapshot, int bytesMax) {
        Piece piece = new Piece(new LinkedHashSet<>(), new ArrayList<>());
        long keyBytes = 0;
        KeyRange rest = new KeyRange(next, coder.log().end());
        next = null;
        try (Cursor cursor = snapshot.cursor(rest, Cursor.Direction.FORWARD)) {
            while (cursor.next() && coder.logRevision(cursor.key()) <= through) {
                if (keyBytes >= bytesMax) {
                    next = cursor.key();
                    break;
                }
                for (LogEvent event : LogEntry.decode(cursor.value()).events()) {
                    if (event.revision() >= from && event.revision() <= through) {
                        keyBytes += add(event, piece);
                    }
                }
            }
        }
        return piece;
    }

    private long add(LogEvent event, Piece piece) {
        long keyBytes = 0;
        if (event.revision() > from && event.replacedRevision() != 0) {
            Bytes replaced = coder.historyKey(event.key(), event.replacedRevision());
            piece.versions().add(replaced);
            keyBytes += replaced.length();
            if (event.replacedBytes() != 0) {
                bytes += replaced.length() + event.replacedBytes();
            }
        }
        // A delete with inline bytes was overwritten within its revision.
        boolean tombstone = event.delete() && event.inline() == null;
        if (tombstone && event.revision() < through) {
            piece.tombstones().add(new Tombstone(event.key(), event.revision()));
            keyBytes += event.key().length();
        }
        return keyBytes;
    }

    /**
     * A part of a step.
     *
     * @param versions keys of replaced versions
     * @param tombstones deletes, which may not be the newest versions of their keys
     */
    record Piece(Set<Bytes> versions, List<Tombstone> tombstones) {}

    record Tombstone(Bytes key, long revision) {}
}
