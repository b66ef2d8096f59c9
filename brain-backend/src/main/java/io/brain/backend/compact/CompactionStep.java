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
 * A stretch of the commit log that is compacted at once: from a finished compaction at revision
 * {@code from} to one at {@code through}. It removes from the history what changes in (from,
 * through] replaced, and the heads that are tombstones of [from, through); what a stretch removes,
 * no other one counts.
 *
 * <p>Read in pieces, so that a revision of very many changes fits in memory too. Used by one thread
 * at a time.
 */
final class CompactionStep {
    private final KeyCoder coder;
    private final long from;
    private final long through;

    /** The log key to read on from; null behind the last. */
    private Bytes next;

    private long bytes;

    private CompactionStep(KeyCoder coder, long from, long through, Bytes next) {
        this.coder = coder;
        this.from = from;
        this.through = through;
        this.next = next;
    }

    /**
     * Chooses how far to go: whole revisions, by looking at the log's keys only.
     *
     * @param finished everything up to a compaction at this revision is removed
     * @param target the revision that the step may not exceed; greater than what is finished
     * @param revisionsMax revisions after which the step ends where a log entry does
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

    /** Everything up to a compaction at this revision is removed when the step is done. */
    long through() {
        return through;
    }

    /** Bytes of the replaced versions that the pieces read so far remove. */
    long bytes() {
        return bytes;
    }

    /** True while there is another piece. */
    boolean hasNext() {
        return next != null;
    }

    /**
     * Reads the next piece.
     *
     * @param bytesMax bytes of keys after which the piece ends where a log entry does
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
        // A delete whose bytes are in the log was overwritten within its revision.
        boolean tombstone = event.delete() && event.inline() == null;
        if (tombstone && event.revision() < through) {
            piece.tombstones().add(new Tombstone(event.key(), event.revision()));
            keyBytes += event.key().length();
        }
        return keyBytes;
    }

    /**
     * A part of what a step removes.
     *
     * @param versions keys of replaced versions
     * @param tombstones deletes whose keys may be forgotten if nothing came after
     */
    record Piece(Set<Bytes> versions, List<Tombstone> tombstones) {}

    /** A delete that ended a key's life at a revision. */
    record Tombstone(Bytes key, long revision) {}
}
