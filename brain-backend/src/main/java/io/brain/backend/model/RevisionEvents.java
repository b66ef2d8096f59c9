package io.brain.backend.model;

import java.util.List;

/**
 * All changes of one revision, in order of their sub-revisions.
 *
 * @param events empty only if {@code inLogOnly}
 * @param inLogOnly true if the revision is too large for memory and must be read from the commit
 *     log
 */
public record RevisionEvents(long revision, List<WatchEvent> events, boolean inLogOnly) {
    /** Heap bytes. */
    public long weight() {
        long weight = 48;
        for (WatchEvent event : events) {
            weight += event.weight();
        }
        return weight;
    }
}
