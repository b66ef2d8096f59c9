package io.brain.backend.cluster.election;

/** What an elector is doing. */
enum Phase {
    /** Putting this node down as a member. */
    JOINING,
    /** Looking who leads, and following that. */
    LOOKING,
    /** Becoming the leader. */
    TAKING,
    LEADING,
    /** Giving the leadership up in good order. */
    RESIGNING,
    /** Nothing any more. */
    CLOSED
}
