package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.ObjIntConsumer;

/** The latest changed keys, in order of their revisions. Guarded by the cache's lock. */
final class RecentChanges {
    private final int max;
    private final Deque<Change> changes = new ArrayDeque<>();
    private long floor;

    /**
     * No changes.
     *
     * @param max limit of changes
     * @param revision revision of the last change that is not included
     */
    RecentChanges(int max, long revision) {
        this.max = max;
        this.floor = revision;
    }

    /** All changes after this revision are included. */
    long floor() {
        return floor;
    }

    /** Adds a change of the newest revision: a key was created (1), deleted (-1) or updated (0). */
    void add(long revision, Bytes key, int by) {
        if (changes.size() == max) {
            floor = changes.removeFirst().revision;
        }
        changes.addLast(new Change(revision, key, by));
    }

    /**
     * Visits the changes of keys of {@code [from, to)} after a revision not below {@link #floor}.
     *
     * @param to null: no end
     * @param visitor receives a key that was created (1), deleted (-1) or updated (0)
     */
    void forEachSince(long revision, Bytes from, Bytes to, ObjIntConsumer<Bytes> visitor) {
        Iterator<Change> newestFirst = changes.descendingIterator();
        while (newestFirst.hasNext()) {
            Change change = newestFirst.next();
            if (change.revision <= revision) {
                return;
            }
            if (change.key.compareTo(from) >= 0 && (to == null || change.key.compareTo(to) < 0)) {
                visitor.accept(change.key, change.by);
            }
        }
    }

    /** True if a key of {@code [from, to)} was changed after a revision. */
    boolean touched(Bytes from, Bytes to, long revision) {
        boolean[] touched = new boolean[1];
        forEachSince(revision, from, to, (key, by) -> touched[0] = true);
        return touched[0];
    }

    private record Change(long revision, Bytes key, int by) {}
}
