package io.brain.backend.cluster.link;

/** What a node does for the others while it leads. Thread-safe. */
public interface LeaderSide {
    /**
     * Executes commands of other nodes; fails them with NOT_LEADER while this node does not lead.
     *
     * @throws io.brain.backend.model.BackendException NOT_LEADER if this is not the leader meant
     */
    Leader leader(LeaderId meant);

    /**
     * A follower wants the stream of commits; told of nothing but through {@code target}, which is
     * ended at once if this node is not the leader meant.
     *
     * @param from the first revision wanted
     */
    TailSource tail(LeaderId meant, long from, TailTarget target);
}
