package io.brain.backend.cluster;

import io.brain.backend.model.Member;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The members of the cluster. They are stored, independent of the leader. Thread-safe; no call
 * blocks. A failed call ends its future with a {@link io.brain.backend.model.BackendException}.
 */
public interface Cluster {
    /** True if there can be other members: several processes can open the storage. */
    boolean isShared();

    /** All members, in the order of their ids. */
    CompletableFuture<List<Member>> members();

    /** Adds a member, under the id that a server with these peer URLs has. */
    CompletableFuture<Member> add(List<String> peerUrls);

    /** True if another member answers at these peer URLs within a second. */
    CompletableFuture<Boolean> reaches(long id, List<String> peerUrls);

    /** Changes an existing member. */
    CompletableFuture<Void> update(Member member);

    /** Removes a member; its process ends once it reads that. */
    CompletableFuture<Void> remove(long id);

    /**
     * Transfers the leadership from this node to another member; completes when that leads. Fails
     * with NOT_LEADER if this node does not lead, TRANSFER_TIMEOUT if the other does not take over.
     */
    CompletableFuture<Void> moveLeader(long id);
}
