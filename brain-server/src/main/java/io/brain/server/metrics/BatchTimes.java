package io.brain.server.metrics;

import io.brain.server.logging.SlowLog;

/**
 * Puts together how long the stages of a batch took, and tells of those that took long. Sequencer
 * thread. A batch is sent before the one that landed just before it is published.
 */
final class BatchTimes {
    private static final Batch NONE = new Batch(0, 0, 0, 0, 0);

    private final SlowLog log;

    // Since the last batch was sent: of the writes that are in the next one.
    private long queuedMax;
    private long roundMax;

    private Batch flying = NONE;
    private Batch landed = NONE;
    private long commit;

    BatchTimes(SlowLog log) {
        this.log = log;
    }

    void queued(long nanos) {
        queuedMax = Math.max(queuedMax, nanos);
    }

    void round(long nanos) {
        roundMax = Math.max(roundMax, nanos);
    }

    void sent(int writes, long bytes, long revision) {
        flying = new Batch(writes, bytes, revision, queuedMax, roundMax);
        queuedMax = 0;
        roundMax = 0;
    }

    void committed(long nanos) {
        landed = flying;
        commit = nanos;
    }

    void published(long nanos) {
        long whole = landed.queuedMax + commit + nanos;
        if (log.isSlow(whole)) {
            log.tell(
                    "apply request took too long: "
                            + SlowLog.millis(whole)
                            + " for "
                            + landed.writes
                            + " writes of "
                            + landed.bytes
                            + " bytes, up to revision "
                            + landed.revision
                            + ": in line up to "
                            + SlowLog.millis(landed.queuedMax)
                            + ", rounds up to "
                            + SlowLog.millis(landed.roundMax)
                            + ", commit "
                            + SlowLog.millis(commit)
                            + ", publish "
                            + SlowLog.millis(nanos));
        }
    }

    /**
     * A batch that was sent.
     *
     * @param queuedMax of its writes, the longest time from submission to the sequencer
     * @param roundMax of the rounds that evaluated them
     */
    private record Batch(int writes, long bytes, long revision, long queuedMax, long roundMax) {}
}
