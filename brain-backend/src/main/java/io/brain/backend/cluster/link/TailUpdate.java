package io.brain.backend.cluster.link;

import io.brain.backend.model.RevisionEvents;
import java.util.List;

/**
 * What the leader tells a follower at a time.
 *
 * @param events revisions in order, none above the standing's; empty if there is no news, and
 *     revisions are left out that the leader has not in memory any more: they are in the commit log
 * @param standing never goes back within a stream
 */
public record TailUpdate(List<RevisionEvents> events, Standing standing) {
    /** Copies the list. */
    public TailUpdate {
        events = List.copyOf(events);
    }
}
