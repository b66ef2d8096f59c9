package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Revisions;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends each new revision from the ring to the synced watchers: one response per revision and
 * watcher. Used by the hub's thread.
 */
final class SyncedFeed {
    private final EventRing ring;
    private final Revisions revisions;
    private final Watchers watchers;
    private final WatcherIndex<Watcher> index;
    private final List<Watcher> matching = new ArrayList<>();
    private long matched;

    /** A feed whose first revision is the one after the newest committed one. */
    SyncedFeed(EventRing ring, Revisions revisions, Watchers watchers) {
        this.ring = ring;
        this.revisions = revisions;
        this.watchers = watchers;
        this.index = watchers.synced();
        this.matched = revisions.committed().revision();
    }

    /** The last revision that was sent to the synced watchers, or that they became unsynced at. */
    long matched() {
        return matched;
    }

    /** Forgets a revision that was sent in part, after a failure. */
    void clear() {
        matching.clear();
    }

    /** Skips the committed revisions if there is no synced watcher. */
    void skip() {
        if (index.size() == 0) {
            matched = Math.max(matched, revisions.committed().revision());
        }
    }

    /** Sends all committed revisions; returns the last one. */
    long sendAll() {
        send(Long.MAX_VALUE);
        return matched;
    }

    /**
     * Sends committed revisions; begins none after {@code responsesMax} responses. False if
     * revisions remain.
     */
    boolean send(long responsesMax) {
        long committed = revisions.committed().revision();
        long responses = 0;
        while (matched < committed && responses < responsesMax) {
            long revision = matched + 1;
            RevisionEvents events = index.size() == 0 ? null : ring.get(revision);
            if (index.size() == 0) {
                matched = committed;
            } else if (events == null || events.inLogOnly()) {
                // Skips everything that the ring does not have. The watchers read it from the log,
                // where one reader serves many.
                matched = Math.max(revision, Math.min(committed, ring.first() - 1));
                watchers.unsyncAll(revision, matched);
            } else {
                matched = revision;
                responses += send(events);
            }
        }
        return matched >= committed;
    }

    private int send(RevisionEvents events) {
        List<WatchEvent> all = events.events();
        if (all.size() == 1) {
            WatchEvent only = all.get(0);
            index.forEach(
                    only.key(),
                    watcher -> {
                        if (watcher.wants(only)) {
                            watcher.matched = all;
                            matching.add(watcher);
                        }
                    });
        } else {
            all.forEach(this::match);
        }
        for (Watcher watcher : matching) {
            List<WatchEvent> mine = watcher.matched;
            watcher.matched = null;
            if (!watcher.stream.send(watcher, events.revision(), mine)) {
                watchers.feedFromRing(watcher, events.revision());
            }
        }
        int responses = matching.size();
        matching.clear();
        return responses;
    }

    private void match(WatchEvent event) {
        index.forEach(
                event.key(),
                watcher -> {
                    if (watcher.wants(event)) {
                        if (watcher.matched == null) {
                            watcher.matched = new ArrayList<>();
                            matching.add(watcher);
                        }
                        watcher.matched.add(event);
                    }
                });
    }
}
