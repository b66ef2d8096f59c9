package io.brain.backend.cluster.link;

import io.brain.backend.cluster.link.TailSource.TailSink;

/**
 * The link to a leader on another node. A command that fails in the link fails with NOT_LEADER if
 * it was certainly not executed, otherwise with LEADER_CHANGED.
 */
public interface LeaderLink extends Leader, AutoCloseable {
    /**
     * Opens the event stream; at most once.
     *
     * @param from the first revision
     */
    void tail(long from, TailSink sink);

    /** Ends the stream and all pending commands (LEADER_CHANGED). Does not block. */
    @Override
    void close();
}
