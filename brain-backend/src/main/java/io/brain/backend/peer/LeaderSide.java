package io.brain.backend.peer;

/** What a node does for the others while it leads. Thread-safe. */
public interface LeaderSide {
    /** Calls of other nodes; they fail with NOT_LEADER while this node does not lead. */
    LeaderCalls calls();

    /**
     * A follower wants the stream of commits; told of nothing but through {@code target}, which is
     * ended at once if this node does not lead.
     *
     * @param from the first revision wanted
     */
    TailSource tail(long from, TailTarget target);
}
