package io.brain.backend.cluster.link;

/**
 * A way to the leader, on another node. Commands that do not reach it fail with NOT_LEADER if they
 * surely did not, else with LEADER_CHANGED.
 */
public interface LeaderLink extends Leader, AutoCloseable {
    /**
     * Opens the stream of commits; at most once.
     *
     * @param from the first revision wanted; what the leader has in memory from there on is told
     */
    void tail(long from, TailSink sink);

    /** Ends the stream and every call under way (LEADER_CHANGED). Does not block. */
    @Override
    void close();
}
