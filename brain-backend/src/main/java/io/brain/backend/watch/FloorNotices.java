package io.brain.backend.watch;

import io.brain.backend.store.Revisions;
import java.util.ArrayDeque;

/**
 * Sends a progress notification to every watcher that asked for them before a higher compact
 * revision counts for watchers: a client that resumes where it was told to be does not find that
 * revision compacted. Used by the hub's thread.
 */
final class FloorNotices {
    private final Revisions revisions;
    private final Watchers watchers;
    private final SyncedFeed synced;
    private final int responsesMax;
    private final boolean enabled;

    /** Streams that were not notified of {@link #next}. */
    private final ArrayDeque<OpenStream> queue = new ArrayDeque<>();

    /** The floor that counts once the queue is empty. */
    private long next;

    private long floor;
    private long sent;

    /**
     * Notices that begin at the current floor.
     *
     * @param responsesMax notifications after which a turn begins no other stream
     * @param enabled if false, the floor counts at once
     */
    FloorNotices(
            Revisions revisions,
            Watchers watchers,
            SyncedFeed synced,
            int responsesMax,
            boolean enabled) {
        this.revisions = revisions;
        this.watchers = watchers;
        this.synced = synced;
        this.responsesMax = responsesMax;
        this.enabled = enabled;
        next = revisions.floor();
        floor = next;
    }

    /** Notifies a limited number of streams; false if some remain. */
    boolean run() {
        long newest = revisions.floor();
        if (queue.isEmpty() && newest > next) {
            next = newest;
            if (enabled) {
                queue.addAll(watchers.streams());
            }
        }
        long end = sent + responsesMax;
        while (!queue.isEmpty() && sent < end) {
            notify(queue.remove());
        }
        if (queue.isEmpty()) {
            floor = next;
        }
        return floor == newest;
    }

    /** The compact revision for a watcher that is created now. */
    long floor() {
        run();
        return floor;
    }

    /** The transport accepts more: sends what it could not take before. */
    void retry(OpenStream stream) {
        if (stream.lacksNotices) {
            notify(stream);
        }
    }

    /** Notifications sent since the start. */
    long sent() {
        return sent;
    }

    private void notify(OpenStream stream) {
        long revision = synced.sendAll();
        stream.lacksNotices = false;
        for (Watcher watcher : stream.watchers.values()) {
            if (watcher.request.progressNotify()
                    && watcher.notified < next
                    && watcher.isSyncedAt(revision)) {
                if (!stream.isReady()) {
                    stream.lacksNotices = true;
                    return;
                }
                watcher.notified = revision;
                sent++;
                stream.respond(to -> to.progress(watcher.id, revision));
            }
        }
    }
}
