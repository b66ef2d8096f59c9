package io.brain.backend.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Watchers that wait for a reader of the commit log. Streams take turns; watchers of any stream
 * that are close to the watcher whose turn it is are read for together with it. Not thread-safe.
 */
final class LogQueue {
    private final Map<OpenStream, Set<Watcher>> byStream = new LinkedHashMap<>();
    private final TreeSet<Watcher> byRevision =
            new TreeSet<>(
                    Comparator.<Watcher>comparingLong(watcher -> watcher.next)
                            .thenComparingLong(watcher -> watcher.serial));

    /** Adds a watcher, whose next revision must not change while it is in the queue. */
    void add(Watcher watcher) {
        byStream.computeIfAbsent(watcher.stream, stream -> new LinkedHashSet<>()).add(watcher);
        byRevision.add(watcher);
    }

    /** Removes a watcher, if it is in the queue. */
    void remove(Watcher watcher) {
        if (!byRevision.remove(watcher)) {
            return;
        }
        Set<Watcher> ofStream = byStream.get(watcher.stream);
        ofStream.remove(watcher);
        if (ofStream.isEmpty()) {
            byStream.remove(watcher.stream);
        }
    }

    boolean isEmpty() {
        return byRevision.isEmpty();
    }

    void clear() {
        byStream.clear();
        byRevision.clear();
    }

    /**
     * Removes the next watchers: the one whose turn it is, and up to {@code max - 1} others whose
     * next revisions are at most {@code revisions} after its own. A watcher that must be read for
     * alone is returned alone.
     */
    List<Watcher> poll(int max, long revisions) {
        Iterator<Map.Entry<OpenStream, Set<Watcher>>> turns = byStream.entrySet().iterator();
        Map.Entry<OpenStream, Set<Watcher>> turn = turns.next();
        Set<Watcher> ofStream = turn.getValue();
        Watcher first = ofStream.iterator().next();
        // The next turn of this stream comes after those of all others.
        turns.remove();
        byStream.put(first.stream, ofStream);
        List<Watcher> taken = new ArrayList<>();
        if (first.alone) {
            taken.add(first);
        } else {
            for (Watcher near : byRevision.tailSet(first)) {
                if (taken.size() == max || near.next > first.next + revisions) {
                    break;
                }
                if (!near.alone) {
                    taken.add(near);
                }
            }
        }
        taken.forEach(this::remove);
        return taken;
    }
}
