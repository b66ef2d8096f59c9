package io.brain.backend.store;

import io.brain.storage.Bytes;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Splits the log events of a batch into parts, as {@link LogEntry} describes.
 *
 * @param unixMillis of the entries
 * @param bytesMax maximum size of a part with several events
 * @param out receives key and encoded entry of each part
 */
public record LogParts(
        KeyCoder coder, long unixMillis, int bytesMax, BiConsumer<Bytes, Bytes> out) {
    /**
     * Makes the parts of a batch.
     *
     * @param events in order of (revision, sub); may be empty
     */
    public void write(List<LogEvent> events) {
        int from = 0;
        int at = 0;
        long bytes = 0;
        while (at < events.size()) {
            int end = at;
            long revisionBytes = 0;
            long revision = events.get(at).revision();
            while (end < events.size() && events.get(end).revision() == revision) {
                revisionBytes += LogEntry.encodedLengthMax(events.get(end));
                end++;
            }
            if (from < at && bytes + revisionBytes > bytesMax) {
                put(events.subList(from, at), 0);
                from = at;
                bytes = 0;
            }
            bytes += revisionBytes;
            at = end;
            if (revisionBytes > bytesMax) {
                split(events.subList(from, end), 0);
                from = end;
                bytes = 0;
            }
        }
        if (from < at) {
            put(events.subList(from, at), 0);
        }
    }

    /**
     * Makes the parts of changes of one revision, which gets entries of its own.
     *
     * @param events not empty
     * @param firstPart number of the first part: 0, or what the call with the changes before
     *     returned
     * @return number of the part after the last
     */
    public int split(List<LogEvent> events, int firstPart) {
        int part = firstPart;
        int from = 0;
        long bytes = 0;
        for (int at = 0; at < events.size(); at++) {
            int length = LogEntry.encodedLengthMax(events.get(at));
            if (from < at && bytes + length > bytesMax) {
                put(events.subList(from, at), part++);
                from = at;
                bytes = 0;
            }
            bytes += length;
        }
        put(events.subList(from, events.size()), part);
        return part + 1;
    }

    private void put(List<LogEvent> events, int part) {
        Bytes key = coder.logKey(events.get(0).revision(), part);
        out.accept(key, new LogEntry(unixMillis, events).encode());
    }
}
