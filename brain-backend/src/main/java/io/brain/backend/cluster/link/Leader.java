package io.brain.backend.cluster.link;

import java.util.concurrent.CompletableFuture;

/** Executes commands: this node, or the link to another one. Thread-safe. */
public interface Leader {
    /**
     * Executes a command; does not block. Fails with a {@link
     * io.brain.backend.model.BackendException}: NOT_LEADER if the node does not lead and executed
     * nothing, LEADER_CHANGED if it may have executed the command. Cancelling the future lets the
     * leader drop the result.
     */
    <T> CompletableFuture<T> submit(LeaderCommand<T> command);
}
