package io.brain.backend.write;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import java.util.List;

/** Cuts a batch's changes into log entries as {@link LogEntry} says. */
final class LogParts {
    private LogParts() {}

    /**
     * Adds the parts of {@code events} to a batch.
     *
     * @param events in order of (revision, sub); may be empty
     * @param partBytes size that a part exceeds only if it is a single event
     */
    static void cut(List<LogEvent> events, KeyCoder coder, int partBytes, WriteBatch.Builder out) {
        int from = 0;
        long bytes = 0;
        int at = 0;
        while (at < events.size()) {
            int end = at;
            long revisionBytes = 0;
            long revision = events.get(at).revision();
            while (end < events.size() && events.get(end).revision() == revision) {
                revisionBytes += LogEntry.encodedLengthMax(events.get(end));
                end++;
            }
            if (from < at && bytes + revisionBytes > partBytes) {
                put(events.subList(from, at), coder, 0, out);
                from = at;
                bytes = 0;
            }
            bytes += revisionBytes;
            at = end;
            if (revisionBytes > partBytes) {
                spread(events.subList(from, end), coder, partBytes, out);
                from = end;
                bytes = 0;
            }
        }
        if (from < at) {
            put(events.subList(from, at), coder, 0, out);
        }
    }

    /** One revision over several parts. */
    private static void spread(
            List<LogEvent> events, KeyCoder coder, int partBytes, WriteBatch.Builder out) {
        int part = 0;
        int from = 0;
        long bytes = 0;
        for (int at = 0; at < events.size(); at++) {
            int length = LogEntry.encodedLengthMax(events.get(at));
            if (from < at && bytes + length > partBytes) {
                put(events.subList(from, at), coder, part++, out);
                from = at;
                bytes = 0;
            }
            bytes += length;
        }
        put(events.subList(from, events.size()), coder, part, out);
    }

    private static void put(
            List<LogEvent> events, KeyCoder coder, int part, WriteBatch.Builder out) {
        Bytes key = coder.logKey(events.get(0).revision(), part);
        out.put(key, new LogEntry(events).encode());
    }
}
