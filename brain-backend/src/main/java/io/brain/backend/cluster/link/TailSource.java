package io.brain.backend.cluster.link;

/** A stream of commits on the leader, as its transport sees it. Any thread; never blocks. */
public interface TailSource extends AutoCloseable {
    /** {@link TailTarget#isReady} has become true. */
    void ready();

    /** The follower is gone. */
    @Override
    void close();
}
