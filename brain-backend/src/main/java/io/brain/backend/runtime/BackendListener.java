package io.brain.backend.runtime;

/**
 * Told what happens inside a backend, for metrics. Every method does nothing unless it is
 * overridden. Called on the threads that do the work, so a listener must be quick, must not block
 * and must not throw; what is "sequencer thread" is never called by two threads at once, the rest
 * is. Times are nanoseconds of the runtime's {@link Clock}.
 */
public interface BackendListener {
    /** Told and forgotten. */
    BackendListener NONE = new BackendListener() {};

    /** This node began to lead. */
    default void termBegan() {}

    /** Another node leads, and this one follows it from now on. */
    default void leaderFollowed() {}

    /** A write was refused: too many are pending. Any thread. */
    default void writeRefused() {}

    /** A write came to the sequencer, so long after it was submitted. Sequencer thread. */
    default void writeQueued(long nanos) {}

    /** A round of the sequencer evaluated some writes, at least one. Sequencer thread. */
    default void writesEvaluated(int writes, long nanos) {}

    /**
     * Newest records that a round looked up.
     *
     * @param inMemory lookups that needed no engine
     * @param fetched records read ahead of their lookup, many at a time
     * @param read records read one by one
     */
    default void recordsLookedUp(long inMemory, long fetched, long read) {}

    /**
     * A batch was sent to the engine. Sequencer thread.
     *
     * @param writes answers that wait for it
     * @param bytes roughly what the engine gets
     * @param revision the last one dealt to it
     */
    default void batchSent(int writes, long bytes, long revision) {}

    /** A batch is durable, so long after it was sent first. Sequencer thread. */
    default void batchCommitted(long nanos) {}

    /** The engine could not say how a batch ended: that is found out now. Sequencer thread. */
    default void batchSettled() {}

    /** A batch that surely did not land is sent again. Sequencer thread. */
    default void batchRetried() {}

    /** A batch will never land, its writes fail. Sequencer thread. */
    default void batchRefused() {}

    /** A durable batch was told to watchers and its answers sent. Sequencer thread. */
    default void batchPublished(long nanos) {}

    /** A write was answered, so long after it was submitted. Any thread. */
    default void writeAnswered(long nanos) {}

    /** Versions that nobody can read any more were deleted. Any thread. */
    default void versionsRemoved(int versions) {}

    /**
     * A step of a compaction ended, and everything up to this revision is removed. Any thread.
     *
     * @param nanos what it took
     */
    default void compactedTo(long revision, long nanos) {}

    /** A compaction ended: nothing below the floor is left, so long after work on it began. */
    default void compactionEnded(long nanos) {}

    /**
     * A lease was revoked. Any thread.
     *
     * @param expired by its time, not by a client
     */
    default void leaseRevoked(boolean expired) {}

    /** What is left of a lease was stored. Sequencer thread. */
    default void leaseCheckpointed() {}
}
