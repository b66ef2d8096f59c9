package io.brain.transfer.mirror;

import io.brain.proto.mvcc.Event;
import java.util.List;

/**
 * All changes of a revision.
 *
 * @param revision from 2
 * @param events at least one, in the order in which they were made; without the previous pairs
 */
public record SourceRevision(long revision, List<Event> events) {
    /** Copies the list. */
    public SourceRevision {
        events = List.copyOf(events);
    }
}
