package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry of the commit log: changes in order of (revision, sub). A batch is split into entries of
 * limited size. An entry has whole revisions, except that a revision larger than the limit has
 * entries of its own: parts 0, 1, 2, ... with the same first revision. So revision R starts in the
 * last entry whose key is not above (R, part 0).
 *
 * @param unixMillis when the changes were committed, in milliseconds since 1970, by the leader's
 *     clock; 0: unknown
 * @param events never empty
 */
public record LogEntry(long unixMillis, List<LogEvent> events) {
    private static final int DELETE = 1;
    private static final int INLINE = 2;
    private static final int GAP = 4;

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
        ByteWriter out = new ByteWriter(16 + 64 * events.size());
        out.putVarint(unixMillis);
        long previous = 0;
        for (LogEvent event : events) {
            out.putByte(flags(event)).putVarint(event.revision() - previous).putVarint(event.sub());
            if (!event.isGap()) {
                out.putSized(event.key())
                        .putVarint(event.replacedRevision())
                        .putVarint(event.replacedBytes());
            }
            if (event.inline() != null) {
                out.putSized(event.inline());
            }
            previous = event.revision();
        }
        return out.finish();
    }

    private static int flags(LogEvent event) {
        return (event.delete() ? DELETE : 0)
                | (event.inline() != null ? INLINE : 0)
                | (event.isGap() ? GAP : 0);
    }

    /** Upper bound of the encoded length of {@code event}. */
    public static int encodedLengthMax(LogEvent event) {
        int inline = event.inline() == null ? 0 : event.inline().length() + 5;
        return 1 + 10 + 5 + 5 + event.key().length() + 10 + 5 + inline;
    }

    /** Reads the stored form. */
    public static LogEntry decode(Bytes stored) {
        List<LogEvent> events = new ArrayList<>();
        ByteReader in = new ByteReader(stored, 0);
        long unixMillis = in.getVarint();
        long revision = 0;
        while (in.hasMore()) {
            int flags = in.getByte();
            revision += in.getVarint();
            int sub = (int) in.getVarint();
            if ((flags & GAP) != 0) {
                events.add(LogEvent.gap(revision, sub));
                continue;
            }
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
        return new LogEntry(unixMillis, events);
    }
}
