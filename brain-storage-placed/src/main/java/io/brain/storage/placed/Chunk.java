package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The next pairs of a prefix in a store: those of one step of a move. */
final class Chunk {
    private final SortedMap<Bytes, Bytes> pairs = new TreeMap<>();
    private final Mover.Pace pace;
    private final Position next;
    private long bytes;

    /** Reads a chunk that begins at a position. */
    Chunk(
            Placement placement,
            Position at,
            Snapshot source,
            Function<Bytes, List<KeyRange>> ranges,
            Mover.Pace pace) {
        this.pace = pace;
        Bytes more = null;
        for (KeyRange range : sorted(placement, ranges)) {
            if (more == null && (range.end() == null || at.next().compareTo(range.end()) < 0)) {
                boolean inside = at.next().compareTo(range.start()) > 0;
                Bytes from = inside ? at.next() : range.start();
                more = read(new KeyRange(from, range.end()), source);
            }
        }
        next = new Position(placement.number(), more);
    }

    /** Where the chunks of a prefix begin. */
    static Position start(Placement placement, Function<Bytes, List<KeyRange>> ranges) {
        return new Position(placement.number(), sorted(placement, ranges).get(0).start());
    }

    private static List<KeyRange> sorted(
            Placement placement, Function<Bytes, List<KeyRange>> ranges) {
        return ranges.apply(placement.prefix()).stream()
                .sorted(Comparator.comparing(KeyRange::start))
                .toList();
    }

    /** Reads until the chunk is full; returns the key to go on with, null at the end. */
    private Bytes read(KeyRange range, Snapshot source) {
        try (Cursor cursor = source.cursor(range, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                if (bytes >= pace.bytesMax() || pairs.size() >= pace.keysMax()) {
                    return cursor.key();
                }
                pairs.put(cursor.key(), cursor.value());
                bytes += cursor.key().length() + cursor.value().length();
            }
            return null;
        }
    }

    /** The position behind it. */
    Position next() {
        return next;
    }

    Set<Bytes> keys() {
        return pairs.keySet();
    }

    boolean has(Bytes key) {
        return pairs.containsKey(key);
    }

    void forEach(BiConsumer<Bytes, Bytes> pair) {
        pairs.forEach(pair);
    }

    int size() {
        return pairs.size();
    }

    /** Bytes of its keys and values. */
    long bytes() {
        return bytes;
    }

    /**
     * A batch that records the position behind it.
     *
     * @param stored the recorded position; null if there is none
     */
    WriteBatch.Builder moveTo(Bytes stored) {
        WriteBatch.Builder batch = WriteBatch.builder();
        Bytes value = next.encode();
        return stored == null
                ? batch.putIfAbsent(Records.POSITION, value)
                : batch.compareAndSet(Records.POSITION, stored, value);
    }
}
