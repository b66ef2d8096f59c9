package io.brain.backend.cluster.link;

import io.brain.backend.cluster.link.EventStream.EventTarget;

/** What a node does for other nodes while it leads. Thread-safe. */
public interface LeaderEndpoint {
    /**
     * Executes commands of other nodes.
     *
     * @throws io.brain.backend.model.BackendException NOT_LEADER if this is not that leader
     */
    Leader leader(LeaderId id);

    /**
     * Opens the event stream of a follower; ends {@code target} at once if this is not that leader.
     *
     * @param from the first revision
     */
    EventStream eventStream(LeaderId id, long from, EventTarget target);
}
