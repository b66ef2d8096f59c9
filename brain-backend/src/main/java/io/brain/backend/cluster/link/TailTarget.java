package io.brain.backend.cluster.link;

/** The transport of a stream of commits, on the leader. Called by one thread at a time. */
public interface TailTarget {
    /** True if the transport takes an update now without piling it up. */
    boolean isReady();

    /** Sends an update. */
    void send(TailUpdate update);

    /** Ends the stream: this node leads no more, or stops. */
    void end();
}
