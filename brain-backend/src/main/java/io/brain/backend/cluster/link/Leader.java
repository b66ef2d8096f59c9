package io.brain.backend.cluster.link;

import java.util.concurrent.CompletableFuture;

/** Executes what only the leader can: this node, or a link to another one. Thread-safe. */
public interface Leader {
    /**
     * Executes a command; does not block. A failed command ends its future with a {@link
     * io.brain.backend.model.BackendException}: NOT_LEADER if the node does not lead and did
     * nothing, LEADER_CHANGED if it may have executed the command or not. Cancelling the future
     * tells the leader that the result is not needed.
     */
    <T> CompletableFuture<T> submit(LeaderCommand<T> command);
}
