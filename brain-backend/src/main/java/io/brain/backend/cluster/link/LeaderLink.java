package io.brain.backend.cluster.link;

import io.brain.backend.cluster.link.EventStream.EventSink;

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
    void eventStream(long from, EventSink sink);

    /** Ends the stream and all pending commands (LEADER_CHANGED). Does not block. */
    @Override
    void close();
}
