package io.brain.backend.peer;

import java.util.List;

/** Ways to the other nodes of a cluster. Thread-safe. */
@FunctionalInterface
public interface Peers {
    /**
     * A way to the leader. Does not block, and does not fail: what cannot be reached shows in the
     * calls.
     *
     * @param memberId the leader's
     * @param urls where that node serves peers, in its order of preference
     */
    LeaderLink connect(long memberId, List<String> urls);
}
