package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Revisions;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends events from the ring: each new revision to synced watchers, and older ones to unsynced
 * watchers, in turn among the streams whose transport takes more and among the watchers of a
 * stream. Belongs to the hub's thread.
 */
final class RingFeed {
    private final EventRing ring;
    private final Revisions revisions;
    private final WatcherGroups groups;
    private final EventSender sender;
    private final long bytesMax;
    private long syncedRevision;

    /**
     * A feed that begins after the newest committed revision.
     *
     * @param bytesMax bytes of events after which a response to an unsynced watcher is full
     */
    RingFeed(
            EventRing ring,
            Revisions revisions,
            WatcherGroups groups,
            EventSender sender,
            long bytesMax) {
        this.ring = ring;
        this.revisions = revisions;
        this.groups = groups;
        this.sender = sender;
        this.bytesMax = bytesMax;
        this.syncedRevision = revisions.committed().revision();
    }

    /** Synced watchers have been sent everything up to this revision. */
    long syncedRevision() {
        return syncedRevision;
    }

    /**
     * Sends committed revisions to synced watchers, one response per revision and watcher; begins
     * none after {@code responsesMax} responses.
     *
     * @return true if none is left
     */
    boolean advance(long responsesMax) {
        long committed = revisions.committed().revision();
        long responses = 0;
        while (syncedRevision < committed && responses < responsesMax) {
            if (groups.synced().size() == 0) {
                syncedRevision = committed;
                break;
            }
            long next = syncedRevision + 1;
            RevisionEvents events = ring.find(next);
            if (events == null) {
                // One read of the log then serves many watchers.
                syncedRevision = Math.max(next, Math.min(committed, ring.first() - 1));
                groups.unsyncAll(next, syncedRevision);
            } else {
                syncedRevision = next;
                responses += send(events);
            }
        }
        return syncedRevision >= committed;
    }

    /** Sends a revision to synced watchers; returns the number of responses. */
    private int send(RevisionEvents revision) {
        List<Watcher> watchers = new ArrayList<>();
        for (WatchEvent event : revision.events()) {
            groups.synced()
                    .forEach(
                            event.key(),
                            watcher -> {
                                if (watcher.wants(event)) {
                                    if (watcher.matched == null) {
                                        watcher.matched = new ArrayList<>(1);
                                        watchers.add(watcher);
                                    }
                                    watcher.matched.add(event);
                                }
                            });
        }
        for (Watcher watcher : watchers) {
            List<WatchEvent> matched = watcher.matched;
            watcher.matched = null;
            if (!sender.send(watcher, revision.revision(), matched)) {
                groups.unsync(watcher, revision.revision());
            }
        }
        return watchers.size();
    }

    /** True if no unsynced watcher can be fed from the ring now. */
    boolean isIdle() {
        return !groups.hasStreams() && !sender.hasNext();
    }

    /**
     * Feeds unsynced watchers until about {@code revisionsMax} revisions were examined. A stream
     * whose transport takes no more leaves the queue until it is ready; one that waits for the
     * sender comes back from there.
     */
    void feed(long revisionsMax) {
        long examined = 0;
        while (examined < revisionsMax && !isIdle()) {
            StreamOutput output = groups.hasStreams() ? groups.pollStream() : sender.next();
            boolean ready = sender.isReady(output);
            Watcher watcher = sender.isWaiting(output) ? null : groups.nextOf(output);
            if (watcher == null) {
                continue;
            }
            // The responses of a replay carry the committed revision, so it goes as far.
            long to = watcher.replaying ? revisions.committed().revision() : syncedRevision;
            if (watcher.next > to) {
                groups.sync(watcher);
                groups.offer(output);
                examined++;
            } else if (ready) {
                long from = watcher.next;
                if (feed(watcher, to)) {
                    groups.offer(output);
                }
                examined += watcher.next - from + 1;
            }
        }
    }

    /** Sends a watcher's next response; false if its stream must wait for the sender. */
    private boolean feed(Watcher watcher, long to) {
        if (ring.find(watcher.next) == null) {
            groups.awaitLog(watcher);
            return true;
        }
        groups.rotate(watcher);
        // One that was synced before still gets one response per revision.
        int revisionsMax = watcher.replaying ? CatchUpBatch.REVISIONS_MAX : 1;
        CatchUpBatch batch = new CatchUpBatch(watcher.request, watcher.next, to, revisionsMax);
        collect(batch, watcher.replaying);
        if (!batch.events().isEmpty()) {
            long revision = watcher.replaying ? to : batch.lastRevision();
            if (!sender.send(watcher, revision, batch.events())) {
                return false;
            }
        }
        watcher.next = batch.next();
        return true;
    }

    private void collect(CatchUpBatch batch, boolean replaying) {
        long floor = revisions.floor();
        long bytes = 0;
        long revision = batch.from;
        while (revision <= batch.to && !batch.isFull() && bytes < bytesMax) {
            RevisionEvents events = ring.find(revision);
            if (events == null) {
                break;
            }
            for (WatchEvent event : events.events()) {
                if (batch.request.span().contains(event.key())
                        && batch.accepts(revision, event.isDelete())) {
                    // As in etcd, a replay has no KeyValue that was replaced at the floor.
                    boolean compacted = replaying && revision <= floor;
                    batch.add(compacted ? event.withPrevKv(null) : event);
                    bytes += event.weight();
                }
            }
            revision++;
        }
        batch.reach(revision - 1);
    }
}
