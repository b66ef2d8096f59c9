package io.brain.backend.cluster.link;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Connects to the other nodes of the cluster. Thread-safe. */
@FunctionalInterface
public interface Peers {
    /**
     * Creates a link to a leader. Does not block and does not fail: if the leader cannot be reached
     * or is another one, the commands fail.
     *
     * @param urls the leader's peer URLs, in its order of preference
     */
    LeaderLink connect(LeaderId leader, List<String> urls);

    /** True if a member answers at these peer URLs within a second. Does not block or fail. */
    default CompletableFuture<Boolean> reaches(LeaderId member, List<String> urls) {
        return CompletableFuture.completedFuture(true);
    }
}
