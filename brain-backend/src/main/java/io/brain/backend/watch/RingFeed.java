package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Revisions;
import java.util.ArrayList;
import java.util.List;

/**
 * Feeds unsynced watchers from the ring, one response at a time: streams whose transports accept
 * more take turns, and so do the watchers of a stream. Watchers that need what is not in the ring
 * continue in {@link LogFeed}. Used by the hub's thread.
 */
final class RingFeed {
    private final EventRing ring;
    private final Revisions revisions;
    private final Watchers watchers;
    private final SyncedFeed synced;
    private final long bytesMax;

    /**
     * A feed.
     *
     * @param bytesMax bytes of events after which a response to a replaying watcher ends
     */
    RingFeed(
            EventRing ring,
            Revisions revisions,
            Watchers watchers,
            SyncedFeed synced,
            long bytesMax) {
        this.ring = ring;
        this.revisions = revisions;
        this.watchers = watchers;
        this.synced = synced;
        this.bytesMax = bytesMax;
    }

    /**
     * Feeds until about {@code revisionsMax} revisions were examined. A stream whose transport is
     * full leaves the queue, and is added again when the transport is ready.
     */
    void run(long revisionsMax) {
        long examined = 0;
        while (examined < revisionsMax && watchers.hasNextStream()) {
            OpenStream stream = watchers.nextStream();
            if (stream.ringWatchers.isEmpty()) {
                continue;
            }
            Watcher watcher = stream.ringWatchers.iterator().next();
            // The header of a replay has the committed revision, so it must reach that one.
            long to = watcher.replaying ? revisions.committed().revision() : synced.matched();
            if (watcher.next > to) {
                watchers.move(watcher, Watcher.State.SYNCED);
                examined++;
            } else if (stream.isReady()) {
                long from = watcher.next;
                boolean sent = feed(watcher, to);
                examined += watcher.next - from + 1;
                if (!sent) {
                    continue;
                }
            } else {
                continue;
            }
            watchers.enqueue(stream);
        }
    }

    /** Sends one response; false if the stream must wait for the budget. */
    private boolean feed(Watcher watcher, long to) {
        if (find(watcher.next) == null) {
            watchers.move(watcher, Watcher.State.LOG);
            return true;
        }
        boolean sent = watcher.replaying ? replay(watcher, to) : resume(watcher, to);
        watcher.stream.rotate(watcher);
        return sent;
    }

    /** Sends the next matching revision to a watcher that was synced before. */
    private boolean resume(Watcher watcher, long to) {
        List<WatchEvent> mine = new ArrayList<>();
        long revision = watcher.next;
        while (revision <= to && mine.isEmpty()) {
            RevisionEvents events = find(revision);
            if (events == null) {
                break;
            }
            for (WatchEvent event : events.events()) {
                if (watcher.wants(event) && watcher.request.span().contains(event.key())) {
                    mine.add(event);
                }
            }
            revision++;
        }
        if (!mine.isEmpty() && !watcher.stream.send(watcher, revision - 1, mine)) {
            return false;
        }
        watcher.next = revision;
        return true;
    }

    /** Sends the next part of its history to a watcher that was created with a past revision. */
    private boolean replay(Watcher watcher, long to) {
        CatchUpBatch batch = new CatchUpBatch(watcher.request, watcher.next, to);
        long floor = revisions.floor();
        // As in etcd: the value replaced at the compact revision is not readable. A watcher that
        // starts below the compact revision gets all or nothing.
        boolean resumes = watcher.request.startRevision() < floor;
        long bytes = 0;
        long revision = watcher.next;
        while (revision <= to && !batch.isFull() && bytes < bytesMax) {
            RevisionEvents events = find(revision);
            if (events == null) {
                break;
            }
            for (WatchEvent event : events.events()) {
                if (watcher.request.span().contains(event.key())
                        && batch.admits(revision, event.isDelete())) {
                    batch.add(resumes || revision > floor ? event : withoutPrevKv(event));
                    bytes += event.weight();
                }
            }
            revision++;
        }
        List<WatchEvent> mine = batch.events();
        if (!mine.isEmpty() && !watcher.stream.send(watcher, to, mine)) {
            return false;
        }
        watcher.next = batch.next(revision - 1);
        return true;
    }

    private static WatchEvent withoutPrevKv(WatchEvent event) {
        return event.prevKv() == null ? event : event.withPrevKv(null);
    }

    /** A revision's events; null if they are not in the ring. */
    private RevisionEvents find(long revision) {
        RevisionEvents events = ring.get(revision);
        return events == null || events.inLogOnly() ? null : events;
    }
}
