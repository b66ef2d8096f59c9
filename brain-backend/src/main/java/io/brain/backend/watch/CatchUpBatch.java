package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The next response to an unsynced watcher: the events it wants of the revisions {@code from} to
 * {@code to}, in order, with at most {@link #REVISIONS_MAX} revisions. The caller checks that keys
 * are in the watcher's span. Not thread-safe.
 */
final class CatchUpBatch {
    /** Most distinct revisions in one response, as in etcd. */
    static final int REVISIONS_MAX = 1000;

    private final WatchRequest request;
    private final long from;
    private final long to;
    private final List<WatchEvent> events = new ArrayList<>();
    private int revisions;
    private long lastRevision;
    private long stoppedAt;
    private boolean compacted;

    CatchUpBatch(WatchRequest request, long from, long to) {
        this.request = request;
        this.from = from;
        this.to = to;
    }

    WatchRequest request() {
        return request;
    }

    /**
     * True if the response includes a change, which must then be {@link #add added}. To be called
     * in the order of revisions.
     */
    boolean admits(long revision, boolean delete) {
        if (isFull() || revision < from || revision > to || !request.wants(delete)) {
            return false;
        }
        if (revision != lastRevision) {
            if (revisions == REVISIONS_MAX) {
                stoppedAt = revision;
                return false;
            }
            revisions++;
            lastRevision = revision;
        }
        return true;
    }

    void add(WatchEvent event) {
        events.add(event);
    }

    /** True if a revision did not fit, or was compacted. */
    boolean isFull() {
        return stoppedAt != 0 || compacted;
    }

    /** Compaction removed something that the watcher needs. */
    void compact() {
        compacted = true;
    }

    boolean isCompacted() {
        return compacted;
    }

    /** True if the response begins below a revision. */
    boolean startsBelow(long floor) {
        return from < floor;
    }

    /** Drops what was added of revisions after {@code last}, up to which the read came. */
    void endAt(long last) {
        events.removeIf(event -> event.revision() > last);
        if (stoppedAt > last) {
            stoppedAt = 0;
        }
    }

    List<WatchEvent> events() {
        return events;
    }

    /**
     * The first revision that the response does not cover.
     *
     * @param reached the last revision whose changes were all offered to {@link #admits}
     */
    long next(long reached) {
        return stoppedAt != 0 ? stoppedAt : Math.max(from, Math.min(reached, to) + 1);
    }
}
