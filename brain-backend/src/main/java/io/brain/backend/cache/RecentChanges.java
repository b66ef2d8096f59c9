package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.ObjIntConsumer;

/**
 * The latest changed keys, in order of their revisions. Any thread may read the slices of {@link
 * #since}; the other methods need the cache's lock.
 */
final class RecentChanges {
    private static final int CHUNK_SIZE = 1024;

    private final int chunksMax;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private long floor;

    /**
     * No changes.
     *
     * @param max limit of changes, in chunks of 1024
     * @param revision revision of the last change that is not included
     */
    RecentChanges(int max, long revision) {
        this.chunksMax = Math.max(1, max / CHUNK_SIZE);
        this.floor = revision;
    }

    /** All changes after this revision are included. */
    long floor() {
        return floor;
    }

    /** Adds a change of the newest revision: a key was created (1), deleted (-1) or updated (0). */
    void add(long revision, Bytes key, int by) {
        Chunk last = chunks.peekLast();
        if (last == null || last.size == CHUNK_SIZE) {
            if (chunks.size() == chunksMax) {
                floor = chunks.removeFirst().revisions[CHUNK_SIZE - 1];
            }
            last = new Chunk();
            chunks.addLast(last);
        }
        last.revisions[last.size] = revision;
        last.keys[last.size] = key;
        last.by[last.size] = (byte) by;
        last.size++;
    }

    /** The changes after a revision that is not below {@link #floor}. */
    List<Slice> since(long revision) {
        List<Slice> found = new ArrayList<>();
        Iterator<Chunk> newestFirst = chunks.descendingIterator();
        while (newestFirst.hasNext()) {
            Chunk chunk = newestFirst.next();
            int from = chunk.size;
            while (from > 0 && chunk.revisions[from - 1] > revision) {
                from--;
            }
            if (from < chunk.size) {
                found.add(new Slice(chunk, from, chunk.size));
            }
            if (from > 0) {
                break;
            }
        }
        return found;
    }

    /** True if a key of {@code [from, to)} was changed after a revision. */
    boolean touched(Bytes from, Bytes to, long revision) {
        boolean[] touched = new boolean[1];
        forEach(since(revision), from, to, (key, by) -> touched[0] = true);
        return touched[0];
    }

    /**
     * Visits the changes of keys of {@code [from, to)}; null: no end.
     *
     * @param visitor receives a key that was created (1), deleted (-1) or updated (0)
     */
    static void forEach(List<Slice> slices, Bytes from, Bytes to, ObjIntConsumer<Bytes> visitor) {
        for (Slice slice : slices) {
            for (int i = slice.from; i < slice.to; i++) {
                Bytes key = slice.chunk.keys[i];
                if (key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0)) {
                    visitor.accept(key, slice.chunk.by[i]);
                }
            }
        }
    }

    /** Immutable part of a chunk. */
    record Slice(Chunk chunk, int from, int to) {}

    /** Append-only. */
    private static final class Chunk {
        private final long[] revisions = new long[CHUNK_SIZE];
        private final Bytes[] keys = new Bytes[CHUNK_SIZE];
        private final byte[] by = new byte[CHUNK_SIZE];
        private int size;
    }
}
