package io.brain.backend.runtime;

/**
 * Receives events of a backend, for metrics. Called on the thread of the event: must be quick, must
 * not block or throw. "Sequencer thread": one thread at a time; otherwise thread-safe. Times are
 * nanoseconds of the runtime's {@link Clock}.
 */
public interface BackendListener {
    /** No-op listener. */
    BackendListener NONE = new BackendListener() {};

    /** This node began a term. */
    default void termBegan() {}

    /** This node began to follow a leader. */
    default void leaderFollowed() {}

    /** A write was refused because too many are pending. Any thread. */
    default void writeRefused() {}

    /** Time of a write between submission and the sequencer. Sequencer thread. */
    default void writeQueued(long nanos) {}

    /** The sequencer evaluated a round of at least one write. Sequencer thread. */
    default void writesEvaluated(int writes, long nanos) {}

    /**
     * Heads that a round looked up.
     *
     * @param inMemory found in memory
     * @param fetched read from the engine in advance, many at a time
     * @param read read from the engine one by one
     */
    default void recordsLookedUp(long inMemory, long fetched, long read) {}

    /**
     * A batch was sent to the engine. Sequencer thread.
     *
     * @param writes number of writes
     * @param bytes approximate size
     * @param revision its last revision
     */
    default void batchSent(int writes, long bytes, long revision) {}

    /** Time of a batch between first send and commit. Sequencer thread. */
    default void batchCommitted(long nanos) {}

    /** The commit of a batch was uncertain, and is being resolved. Sequencer thread. */
    default void batchSettled() {}

    /** A batch that was not committed is sent again. Sequencer thread. */
    default void batchRetried() {}

    /** A batch can never be committed; its writes fail. Sequencer thread. */
    default void batchRefused() {}

    /** A committed batch was published and answered. Sequencer thread. */
    default void batchPublished(long nanos) {}

    /** Time of a write between submission and answer. Any thread. */
    default void writeAnswered(long nanos) {}

    /** Compaction deleted versions. Any thread. */
    default void versionsRemoved(int versions) {}

    /** A step of a compaction is finished, up to a compaction at this revision. Any thread. */
    default void compactedTo(long revision, long nanos) {}

    /** Time of a compaction between its first and last step. Any thread. */
    default void compactionEnded(long nanos) {}

    /**
     * A lease was revoked. Any thread.
     *
     * @param expired true if it expired, false if a client revoked it
     */
    default void leaseRevoked(boolean expired) {}

    /**
     * A revision deleted keys that expired by a TTL rule. Sequencer thread.
     *
     * @param rule pattern of the rule
     */
    default void keysExpired(String rule, int keys) {}

    /** The checkpoint of a lease was stored. Sequencer thread. */
    default void leaseCheckpointed() {}
}
