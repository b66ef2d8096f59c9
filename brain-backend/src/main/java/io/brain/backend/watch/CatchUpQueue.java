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
 * Watchers that wait for a reader of the commit log: streams take turns, and whoever stands near
 * the watcher whose turn it is goes with it, whatever its stream. Belongs to the hub's thread.
 */
final class CatchUpQueue {
    private final Map<ServerWatchStream, Set<Watcher>> byStream = new LinkedHashMap<>();
    private final TreeSet<Watcher> byRevision =
            new TreeSet<>(
                    Comparator.<Watcher>comparingLong(watcher -> watcher.next)
                            .thenComparingLong(watcher -> watcher.serial));

    /** Adds a watcher; its place in history must not change while it is here. */
    void add(Watcher watcher) {
        byStream.computeIfAbsent(watcher.stream, stream -> new LinkedHashSet<>()).add(watcher);
        byRevision.add(watcher);
    }

    void remove(Watcher watcher) {
        byRevision.remove(watcher);
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
     * Takes the next watchers out: the one whose turn it is and up to {@code max - 1} that stand at
     * most {@code revisions} ahead of it. A watcher that is to be read alone goes alone.
     */
    List<Watcher> poll(int max, long revisions) {
        Iterator<Map.Entry<ServerWatchStream, Set<Watcher>>> turns = byStream.entrySet().iterator();
        Map.Entry<ServerWatchStream, Set<Watcher>> turn = turns.next();
        Watcher first = turn.getValue().iterator().next();
        // The stream's next turn comes after everybody else's.
        Set<Watcher> ofStream = turn.getValue();
        turns.remove();
        byStream.put(first.stream, ofStream);
        List<Watcher> taken = new ArrayList<>();
        if (first.alone) {
            remove(first);
            taken.add(first);
            return taken;
        }
        for (Watcher near : byRevision.tailSet(first)) {
            if (taken.size() == max || near.next > first.next + revisions) {
                break;
            }
            if (!near.alone) {
                taken.add(near);
            }
        }
        taken.forEach(this::remove);
        return taken;
    }
}
