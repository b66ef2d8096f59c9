package io.brain.backend.cluster.link;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Ways to the other nodes of a cluster. Thread-safe. */
@FunctionalInterface
public interface Peers {
    /**
     * A way to the leader. Does not block, and does not fail: what cannot be reached, or turns out
     * not to be that leader, shows in the calls.
     *
     * @param urls where that node serves peers, in its order of preference
     */
    LeaderLink connect(LeaderId leader, List<String> urls);

    /**
     * Whether another node answers within a second. Does not block, and does not fail.
     *
     * @param member the other node, in any epoch
     * @param urls where it serves peers
     */
    default CompletableFuture<Boolean> reaches(LeaderId member, List<String> urls) {
        return CompletableFuture.completedFuture(true);
    }
}
