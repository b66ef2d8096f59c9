package io.brain.backend.cluster.link;

/** Takes a leader's stream of commits, on the follower. Called by one thread at a time. */
public interface TailSink {
    /**
     * The next update. Must not block.
     *
     * @param taken to be run, by any thread, when the update is dealt with: the next one is told
     *     after that, so that a slow follower has no queue
     */
    void update(TailUpdate update, Runnable taken);

    /** The stream has ended, for whatever reason; told once, and the last thing that is told. */
    void ended();
}
