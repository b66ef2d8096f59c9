package io.brain.backend.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Watchers that wait for a reader of the commit log. Streams take turns; watchers whose next
 * revision is close to that of the one whose turn it is go with it, whatever their stream. Belongs
 * to the hub's thread.
 */
final class CatchUpQueue {
    private final Map<StreamOutput, Set<Watcher>> byStream = new LinkedHashMap<>();
    private final TreeSet<Watcher> byRevision =
            new TreeSet<>(
                    Comparator.<Watcher>comparingLong(watcher -> watcher.next)
                            .thenComparingLong(watcher -> watcher.serial));

    /** Adds a watcher; its next revision must not change while it is here. */
    void add(Watcher watcher) {
        byStream.computeIfAbsent(watcher.output, output -> new LinkedHashSet<>()).add(watcher);
        byRevision.add(watcher);
    }

    /** Removes a watcher if it is here. */
    void remove(Watcher watcher) {
        if (byRevision.remove(watcher)) {
            Set<Watcher> ofStream = byStream.get(watcher.output);
            ofStream.remove(watcher);
            if (ofStream.isEmpty()) {
                byStream.remove(watcher.output);
            }
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
     * Takes out the watcher whose turn it is, and up to {@code max - 1} that are at most {@code
     * revisions} ahead of it. A watcher that must be read for alone goes alone.
     */
    List<Watcher> poll(int max, long revisions) {
        StreamOutput stream = byStream.keySet().iterator().next();
        Set<Watcher> ofStream = byStream.remove(stream);
        byStream.put(stream, ofStream); // its next turn comes last
        Watcher first = ofStream.iterator().next();
        List<Watcher> group = new ArrayList<>();
        if (first.alone) {
            group.add(first);
        } else {
            for (Watcher near : byRevision.tailSet(first)) {
                if (group.size() == max || near.next > first.next + revisions) {
                    break;
                }
                if (!near.alone) {
                    group.add(near);
                }
            }
        }
        group.forEach(this::remove);
        return group;
    }
}
