package io.brain.backend.watch;

import io.brain.backend.model.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the events of one watcher's next response: those of the revisions {@code from} to {@code
 * to} that pass its filters, in order, of a limited number of revisions. The caller checks the
 * watcher's span. Not thread-safe.
 */
final class CatchUpBatch {
    /** Most revisions with events in one response, as in etcd. */
    static final int REVISIONS_MAX = 1000;

    final WatchRequest request;
    final long from;
    final long to;
    private final int revisionsMax;
    private final List<WatchEvent> events = new ArrayList<>();
    private int revisions;
    private long lastRevision;
    private boolean full;
    private long next;

    CatchUpBatch(WatchRequest request, long from, long to, int revisionsMax) {
        this.request = request;
        this.from = from;
        this.to = to;
        this.revisionsMax = revisionsMax;
        this.next = from;
    }

    /**
     * True if the response takes a change, which must then be {@link #add added}. To be called in
     * order of revision.
     */
    boolean accepts(long revision, boolean delete) {
        if (full || revision < from || revision > to || !request.wants(delete)) {
            return false;
        }
        if (revision != lastRevision) {
            if (revisions == revisionsMax) {
                full = true;
                next = revision;
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

    /** Notes that all changes up to {@code revision} were offered. */
    void reach(long revision) {
        if (!full) {
            next = Math.max(from, Math.min(revision, to) + 1);
        }
    }

    /** True if a revision was refused because there are enough. */
    boolean isFull() {
        return full;
    }

    List<WatchEvent> events() {
        return events;
    }

    /** The last revision with an event. */
    long lastRevision() {
        return lastRevision;
    }

    /** The first revision that the response does not cover. */
    long next() {
        return next;
    }
}
