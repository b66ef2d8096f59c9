package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The latest changed keys, in the order of their revisions; the oldest leave. What was taken out of
 * it ({@link #since}) may be read by any thread; the rest needs the owner's lock.
 */
final class RecentChanges {
    private static final int PART = 1024;

    private final int partsMax;
    private final Deque<Part> parts = new ArrayDeque<>();
    private long floor;

    /**
     * None yet.
     *
     * @param max changes that are held, in whole parts of 1024
     * @param revision changes up to it are not, and will not be, held
     */
    RecentChanges(int max, long revision) {
        this.partsMax = Math.max(1, max / PART);
        this.floor = revision;
    }

    /** All changes after this revision are held. */
    long floor() {
        return floor;
    }

    /** Adds one of the newest revision: a key was created (1), deleted (-1) or updated (0). */
    void add(long revision, Bytes key, int by) {
        Part last = parts.peekLast();
        if (last == null || last.size == PART) {
            if (parts.size() == partsMax) {
                floor = parts.removeFirst().revisions[PART - 1];
            }
            last = new Part();
            parts.addLast(last);
        }
        last.revisions[last.size] = revision;
        last.keys[last.size] = key;
        last.by[last.size] = (byte) by;
        last.size++;
    }

    /** The changes after a revision that is not below {@link #floor}, as they are now. */
    List<Slice> since(long revision) {
        List<Slice> found = new ArrayList<>();
        Iterator<Part> newestFirst = parts.descendingIterator();
        while (newestFirst.hasNext()) {
            Part part = newestFirst.next();
            int from = part.size;
            while (from > 0 && part.revisions[from - 1] > revision) {
                from--;
            }
            if (from < part.size) {
                found.add(new Slice(part, from, part.size));
            }
            if (from > 0) {
                break;
            }
        }
        return found;
    }

    /** True if a key of a range was changed after a revision. */
    boolean touched(Bytes begin, Bytes end, long revision) {
        boolean[] touched = new boolean[1];
        forEach(since(revision), begin, end, (key, by) -> touched[0] = true);
        return touched[0];
    }

    /**
     * Visits the changes of keys of a range.
     *
     * @param end the first key behind it; null: there is none
     */
    static void forEach(List<Slice> slices, Bytes begin, Bytes end, Visitor visitor) {
        for (Slice slice : slices) {
            for (int i = slice.from; i < slice.to; i++) {
                Bytes key = slice.part.keys[i];
                if (key.compareTo(begin) >= 0 && (end == null || key.compareTo(end) < 0)) {
                    visitor.visit(key, slice.part.by[i]);
                }
            }
        }
    }

    /** What is done with a change. */
    @FunctionalInterface
    interface Visitor {
        /** A key was created (1), deleted (-1) or updated (0). */
        void visit(Bytes key, int by);
    }

    /** A part of the changes, which stays as it is. */
    record Slice(Part part, int from, int to) {}

    /** Filled once, from the front. */
    private static final class Part {
        private final long[] revisions = new long[PART];
        private final Bytes[] keys = new Bytes[PART];
        private final byte[] by = new byte[PART];
        private int size;
    }
}
