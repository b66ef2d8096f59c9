package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * What is stored under a log key: a run of changes in the order of (revision, sub). A batch's
 * changes are cut into parts at a size. A part holds whole revisions; a revision that is larger
 * than a part starts a part of its own (part 0) and goes on in parts 1, 2, ... with the same first
 * revision; the next revision starts a new first part. So the part to start from for a revision R
 * is the last one whose key is not above (R, part 0).
 *
 * @param events never empty
 */
public record LogEntry(List<LogEvent> events) {
    private static final int DELETE = 1;
    private static final int INLINE = 2;

    /** Copies the list. */
    public LogEntry {
        events = List.copyOf(events);
    }

    /** Revision of the last event. */
    public long lastRevision() {
        return events.get(events.size() - 1).revision();
    }

    /** The stored form. */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(64 * events.size());
        long previous = 0;
        for (LogEvent event : events) {
            int flags = (event.delete() ? DELETE : 0) | (event.inline() != null ? INLINE : 0);
            out.putByte(flags)
                    .putVarint(event.revision() - previous)
                    .putVarint(event.sub())
                    .putSized(event.key())
                    .putVarint(event.replacedRevision())
                    .putVarint(event.replacedBytes());
            if (event.inline() != null) {
                out.putSized(event.inline());
            }
            previous = event.revision();
        }
        return out.finish();
    }

    /** An upper bound of the bytes that {@code event} takes in the stored form. */
    public static int encodedLengthMax(LogEvent event) {
        int inline = event.inline() == null ? 0 : event.inline().length() + 5;
        return 1 + 10 + 5 + 5 + event.key().length() + 10 + 5 + inline;
    }

    /** Reads the stored form. */
    public static LogEntry decode(Bytes stored) {
        List<LogEvent> events = new ArrayList<>();
        ByteReader in = new ByteReader(stored, 0);
        long revision = 0;
        while (in.hasMore()) {
            int flags = in.getByte();
            revision += in.getVarint();
            int sub = (int) in.getVarint();
            Bytes key = in.getSized();
            long replacedRevision = in.getVarint();
            int replacedBytes = (int) in.getVarint();
            Bytes inline = (flags & INLINE) != 0 ? in.getSized() : null;
            events.add(
                    new LogEvent(
                            key,
                            revision,
                            sub,
                            (flags & DELETE) != 0,
                            replacedRevision,
                            replacedBytes,
                            inline));
        }
        return new LogEntry(events);
    }
}
