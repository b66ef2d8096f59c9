package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes new revisions from the ring to the watchers that have caught up: one response per revision
 * and watcher. Belongs to the hub's thread.
 */
final class LiveFeed {
    private final EventRing ring;
    private final WatchHub hub;
    private final List<Watcher> touched = new ArrayList<>();
    private WatcherIndex<Watcher> index = new WatcherIndex<>();
    private long matched;

    /**
     * A feed.
     *
     * @param revision the newest committed revision: the next one is the first to be matched
     */
    LiveFeed(EventRing ring, WatchHub hub, long revision) {
        this.ring = ring;
        this.hub = hub;
        this.matched = revision;
    }

    /** Live watchers were told, or were left behind at, everything up to this revision. */
    long matched() {
        return matched;
    }

    void add(Watcher watcher) {
        index.add(watcher.request.span(), watcher);
    }

    void remove(Watcher watcher) {
        index.remove(watcher.request.span(), watcher);
    }

    /** Forgets all watchers. */
    void clear() {
        index = new WatcherIndex<>();
        touched.clear();
    }

    /** Takes revisions up to {@code target} as told, if nobody is there to be told. */
    void skip(long target) {
        if (index.size() == 0) {
            matched = Math.max(matched, target);
        }
    }

    /**
     * Matches revisions up to {@code target}; after {@code responsesMax} responses no further one
     * is begun. False if it stopped before the target.
     */
    boolean advance(long target, long responsesMax) {
        long responses = 0;
        while (matched < target && responses < responsesMax) {
            long revision = matched + 1;
            RevisionEvents events = index.size() == 0 ? null : ring.get(revision);
            if (index.size() == 0) {
                matched = target;
            } else if (events == null || events.inLogOnly()) {
                // All that cannot be had from the ring is skipped here: whoever is live falls
                // behind and reads it from the log, where one reader serves many.
                matched = Math.max(revision, Math.min(target, ring.first() - 1));
                hub.leaveBehind(revision, matched);
            } else {
                matched = revision;
                responses += deliver(events);
            }
        }
        return matched >= target;
    }

    private int deliver(RevisionEvents events) {
        List<WatchEvent> all = events.events();
        if (all.size() == 1) {
            WatchEvent only = all.get(0);
            index.forEach(
                    only.key(),
                    watcher -> {
                        if (watcher.wants(only)) {
                            watcher.matched = all;
                            touched.add(watcher);
                        }
                    });
        } else {
            all.forEach(this::match);
        }
        for (Watcher watcher : touched) {
            List<WatchEvent> mine = watcher.matched;
            watcher.matched = null;
            if (!watcher.stream.send(watcher, events.revision(), mine)) {
                hub.lag(watcher, events.revision());
            }
        }
        int responses = touched.size();
        touched.clear();
        return responses;
    }

    private void match(WatchEvent event) {
        index.forEach(
                event.key(),
                watcher -> {
                    if (watcher.wants(event)) {
                        if (watcher.matched == null) {
                            watcher.matched = new ArrayList<>();
                            touched.add(watcher);
                        }
                        watcher.matched.add(event);
                    }
                });
    }
}
