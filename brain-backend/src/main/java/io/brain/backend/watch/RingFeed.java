package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Feeds watchers that are behind from the ring, a response at a time, in turn among the streams
 * whose transport takes more and among the watchers of a stream. What has left the ring is passed
 * to the readers of the log. Belongs to the hub's thread.
 */
final class RingFeed {
    private final EventRing ring;
    private final LiveFeed live;
    private final WatchHub hub;
    private final long bytesMax;
    private final ArrayDeque<ServerWatchStream> streams = new ArrayDeque<>();

    /**
     * A feed.
     *
     * @param bytesMax bytes of events after which a replay goes on in another response
     */
    RingFeed(EventRing ring, LiveFeed live, WatchHub hub, long bytesMax) {
        this.ring = ring;
        this.live = live;
        this.hub = hub;
        this.bytesMax = bytesMax;
    }

    /**
     * Puts a stream in the queue if one of its watchers could be fed and it is not there yet; one
     * that waits for room in the budget comes from there.
     */
    void offer(ServerWatchStream stream) {
        boolean waits = hub.budget().isWaiting(stream);
        if (!stream.queued && !waits && stream.nextLagging() != null) {
            stream.queued = true;
            streams.add(stream);
        }
    }

    /** Forgets all streams. */
    void clear() {
        streams.clear();
    }

    /** True if no stream waits for its turn, or one waits for room that there is not. */
    boolean isIdle() {
        return streams.isEmpty() && !hub.budget().hasNext();
    }

    /**
     * Feeds until about {@code revisionsMax} revisions were looked at. A stream whose transport
     * takes no more leaves the queue, and comes back when it is ready.
     */
    void run(long revisionsMax) {
        long looked = 0;
        while (looked < revisionsMax && !isIdle()) {
            ServerWatchStream stream = streams.isEmpty() ? hub.budget().next() : streams.remove();
            stream.queued = false;
            Watcher watcher = stream.nextLagging();
            if (watcher == null) {
                continue;
            }
            // A replay shows the committed revision in its header, so it goes as far.
            long to = watcher.replaying ? hub.committed() : live.matched();
            if (watcher.next > to) {
                hub.catchUp(watcher);
                looked++;
            } else if (stream.isReady()) {
                long from = watcher.next;
                boolean sent = feed(watcher, to);
                looked += watcher.next - from + 1;
                if (!sent) {
                    continue;
                }
            } else {
                continue;
            }
            offer(stream);
        }
    }

    /** Takes one step with a watcher; false if its stream must wait for room in the budget. */
    private boolean feed(Watcher watcher, long to) {
        if (isMissing(watcher.next)) {
            hub.readLog(watcher);
            return true;
        }
        boolean sent = watcher.replaying ? replay(watcher, to) : resume(watcher, to);
        watcher.stream.rotate(watcher);
        return sent;
    }

    /** Sends the next revision with something for a watcher that was live before. */
    private boolean resume(Watcher watcher, long to) {
        List<WatchEvent> mine = new ArrayList<>();
        long revision = watcher.next;
        while (revision <= to && mine.isEmpty()) {
            RevisionEvents events = ring.get(revision);
            if (events == null || events.inLogOnly()) {
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

    /** Sends the next part of its history to a watcher that was created in the past. */
    private boolean replay(Watcher watcher, long to) {
        CatchUpBatch gather = new CatchUpBatch(watcher.request, watcher.next, to);
        long floor = hub.floor();
        long bytes = 0;
        long revision = watcher.next;
        while (revision <= to && !gather.isFull() && bytes < bytesMax) {
            RevisionEvents events = ring.get(revision);
            if (events == null || events.inLogOnly()) {
                break;
            }
            for (WatchEvent event : events.events()) {
                if (watcher.request.span().contains(event.key())
                        && gather.admits(revision, event.isDelete())) {
                    // As in etcd: what was replaced at the floor cannot be read any more.
                    gather.add(revision > floor ? event : withoutPrevKv(event));
                    bytes += event.weight();
                }
            }
            revision++;
        }
        List<WatchEvent> mine = gather.events();
        if (!mine.isEmpty() && !watcher.stream.send(watcher, to, mine)) {
            return false;
        }
        watcher.next = gather.next(revision - 1);
        return true;
    }

    private static WatchEvent withoutPrevKv(WatchEvent event) {
        return event.prevKv() == null ? event : event.withPrevKv(null);
    }

    private boolean isMissing(long revision) {
        RevisionEvents events = ring.get(revision);
        return events == null || events.inLogOnly();
    }
}
