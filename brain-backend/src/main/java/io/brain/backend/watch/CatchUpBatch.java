package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects one watcher's next response out of history: what it wants of the revisions {@code from}
 * to {@code to}, in order, at most {@link #REVISIONS_MAX} revisions with something in them. Whether
 * a key is in the watcher's span is for the caller to check. Not thread-safe.
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

    CatchUpBatch(WatchRequest request, long from, long to) {
        this.request = request;
        this.from = from;
        this.to = to;
    }

    WatchRequest request() {
        return request;
    }

    /**
     * True if the response takes a change; it must be {@link #add added} then. Asked in the order
     * of revisions.
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

    /** True if it was asked about a revision that did not fit any more. */
    boolean isFull() {
        return stoppedAt != 0;
    }

    /** What was added. */
    List<WatchEvent> events() {
        return events;
    }

    /**
     * The first revision that the response does not cover.
     *
     * @param reached everything up to this revision was asked about
     */
    long next(long reached) {
        return isFull() ? stoppedAt : Math.max(from, Math.min(reached, to) + 1);
    }
}
