package io.brain.backend.store;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.Iterator;
import java.util.List;

/**
 * A walk over the commit log from a revision on, event by event, that notices when a revision is
 * missing. Used by one thread; must be closed, before its snapshot.
 */
public final class LogScan implements AutoCloseable {
    /** The revision of the first write of a store. */
    public static final long REVISION_MIN = 2;

    private final KeyCoder coder;
    private final Cursor cursor;
    private final long from;
    private Iterator<LogEvent> part;
    private boolean more;
    private long reached;
    private int changes;
    private long bytes;

    /**
     * Goes to the part that holds {@code from}.
     *
     * @param from a revision that the log must hold, unless it ends before it
     */
    public LogScan(Snapshot snapshot, KeyCoder coder, long from) {
        this.coder = coder;
        this.from = from;
        this.reached = from - 1;
        this.part = List.<LogEvent>of().iterator();
        Bytes start = startOf(snapshot, from);
        this.cursor = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD);
        this.more = cursor.seek(start);
    }

    /**
     * The next event; null at the log's end.
     *
     * @throws StorageException kind CORRUPT if a revision, or a change within one, is missing
     */
    public LogEvent next() {
        while (true) {
            while (part.hasNext()) {
                LogEvent event = part.next();
                if (event.revision() >= from) {
                    boolean same = event.revision() == reached;
                    require(same || event.revision() == reached + 1);
                    changes = same ? changes : 0;
                    require(event.sub() == changes++);
                    reached = event.revision();
                    return event;
                }
            }
            if (!more) {
                return null;
            }
            Bytes stored = cursor.value();
            bytes += stored.length();
            part = LogEntry.decode(stored).events().iterator();
            more = cursor.next();
        }
    }

    /**
     * Says that the log must not end before {@code revision}.
     *
     * @throws StorageException kind CORRUPT if it did
     */
    public void requireReached(long revision) {
        require(reached >= revision);
    }

    /** Bytes of the log that were read. */
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

    private void require(boolean unbroken) {
        if (!unbroken) {
            throw new StorageException(
                    StorageException.Kind.CORRUPT,
                    "the commit log breaks off after revision " + reached);
        }
    }
}
