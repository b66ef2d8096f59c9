package io.brain.backend.model;

import java.util.List;

/**
 * All changes of one revision, in the order they were executed (their sub-revisions).
 *
 * @param events never empty, all of that revision; empty only if {@code inLogOnly}
 * @param inLogOnly true if the revision is too big for memory: read it from the commit log
 */
public record RevisionEvents(long revision, List<WatchEvent> events, boolean inLogOnly) {
    /** Bytes on the heap. */
    public long weight() {
        long weight = 48;
        for (WatchEvent event : events) {
            weight += event.weight();
        }
        return weight;
    }
}
