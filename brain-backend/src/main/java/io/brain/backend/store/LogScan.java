package io.brain.backend.store;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.Iterator;
import java.util.List;

/**
 * Scans the commit log from a revision on, and detects missing changes. Used by one thread; must be
 * closed before its snapshot.
 */
public final class LogScan implements AutoCloseable {
    /** The revision of the first write of a store. */
    public static final long REVISION_MIN = 2;

    private final KeyCoder coder;
    private final Cursor cursor;
    private final long from;
    private Iterator<LogEvent> entry;
    private long unixMillis;
    private boolean more;
    private long reached;
    private int changes;
    private long bytes;
    private boolean passedGap;

    /**
     * Seeks the entry that has {@code from}.
     *
     * @param from the first revision; must be in the log unless the log ends before it
     */
    public LogScan(Snapshot snapshot, KeyCoder coder, long from) {
        this.coder = coder;
        this.from = from;
        this.reached = from - 1;
        this.entry = List.<LogEvent>of().iterator();
        Bytes start = startOf(snapshot, from);
        this.cursor = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD);
        this.more = cursor.seek(start);
    }

    /**
     * The first revision that the log has completely: {@code from} or a later one; {@link
     * Long#MAX_VALUE} if there is none. A trim may have left only the last parts of a revision.
     */
    public static long firstFrom(long from, Snapshot snapshot, KeyCoder coder) {
        Bytes start = coder.logKey(from, 0);
        KeyRange before = new KeyRange(coder.log().start(), start.successor());
        try (Cursor back = snapshot.cursor(before, Cursor.Direction.REVERSE)) {
            if (back.next()) {
                return from;
            }
        }
        KeyRange after = new KeyRange(start, coder.log().end());
        try (Cursor forward = snapshot.cursor(after, Cursor.Direction.FORWARD)) {
            if (!forward.next()) {
                return Long.MAX_VALUE;
            }
            long first = coder.logRevision(forward.key());
            return coder.logPart(forward.key()) == 0 ? first : first + 1;
        }
    }

    /**
     * The next event, without gaps; null at the log's end.
     *
     * @throws StorageException kind CORRUPT if a revision, or a change within one, is missing and
     *     not in a gap
     */
    public LogEvent next() {
        while (true) {
            while (entry.hasNext()) {
                LogEvent event = entry.next();
                if (event.revision() < from) {
                    continue;
                }
                if (!event.isGap()) {
                    boolean same = event.revision() == reached;
                    require(same || event.revision() == reached + 1);
                    require(event.sub() == (same ? changes : 0));
                }
                reached = event.revision();
                changes = event.sub() + 1;
                if (!event.isGap()) {
                    return event;
                }
                passedGap = true;
            }
            if (!more) {
                return null;
            }
            Bytes stored = cursor.value();
            bytes += stored.length();
            LogEntry decoded = LogEntry.decode(stored);
            unixMillis = decoded.unixMillis();
            entry = decoded.events().iterator();
            more = cursor.next();
        }
    }

    /**
     * Checks that the log does not end before {@code revision}.
     *
     * @throws StorageException kind CORRUPT if it did
     */
    public void requireReached(long revision) {
        require(reached >= revision);
    }

    /** When the last event was committed, as in {@link LogEntry}. */
    public long unixMillis() {
        return unixMillis;
    }

    /** True if changes between the first revision and the last event are not stored. */
    public boolean passedGap() {
        return passedGap;
    }

    /** Bytes read so far. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        cursor.close();
    }

    private Bytes startOf(Snapshot snapshot, long revision) {
        Bytes wanted = coder.logKey(revision, 0);
        KeyRange upTo = new KeyRange(coder.log().start(), wanted.successor());
        try (Cursor back = snapshot.cursor(upTo, Cursor.Direction.REVERSE)) {
            return back.next() ? back.key() : wanted;
        }
    }

    private void require(boolean complete) {
        if (!complete) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT,
                    "the commit log breaks off after revision " + reached);
        }
    }
}
