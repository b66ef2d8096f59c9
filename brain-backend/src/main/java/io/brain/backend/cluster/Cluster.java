package io.brain.backend.cluster;

import io.brain.backend.model.Member;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The members of the cluster, as a node knows and changes them. They are put down in the store,
 * whoever leads. Thread-safe; no call blocks. A failed call ends its future with a {@link
 * io.brain.backend.model.BackendException}.
 */
public interface Cluster {
    /** True if there can be other members: the store can be opened by several processes. */
    boolean isShared();

    /** All members, by their ids. */
    CompletableFuture<List<Member>> members();

    /**
     * Announces a member that will serve its peers at these URLs; ends with it. A server that
     * starts at those URLs is it, announced or not.
     */
    CompletableFuture<Member> add(List<String> peerUrls);

    /** Whether another member, which serves its peers at these URLs, answers within a second. */
    CompletableFuture<Boolean> reaches(long id, List<String> peerUrls);

    /** Stores a member, which exists, otherwise. */
    CompletableFuture<Void> update(Member member);

    /** Strikes a member out. If it runs, it stops when it notices. */
    CompletableFuture<Void> remove(long id);

    /**
     * Has this node, which leads, hand the leadership to another member, and ends when that leads.
     * NOT_LEADER if this node does not; TRANSFER_TIMEOUT if the other one did not take it.
     */
    CompletableFuture<Void> moveLeader(long id);
}
