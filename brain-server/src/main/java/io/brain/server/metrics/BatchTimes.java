package io.brain.server.metrics;

import io.brain.server.logging.SlowLog;

/**
 * Collects the times of a batch's stages, and logs slow batches. Sequencer thread. A batch may be
 * sent before the previous one is published.
 */
final class BatchTimes {
    private static final Batch NONE = new Batch(0, 0, 0, 0, 0);

    private final SlowLog log;

    // Of the writes in the next batch.
    private long queuedMax;
    private long roundMax;

    private Batch inFlight = NONE;
    private Batch committed = NONE;
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
        inFlight = new Batch(writes, bytes, revision, queuedMax, roundMax);
        queuedMax = 0;
        roundMax = 0;
    }

    void committed(long nanos) {
        committed = inFlight;
        commit = nanos;
    }

    void published(long nanos) {
        long total = committed.queuedMax + commit + nanos;
        if (log.isSlow(total)) {
            log.write(
                    "apply request took too long: took="
                            + SlowLog.millis(total)
                            + " writes="
                            + committed.writes
                            + " bytes="
                            + committed.bytes
                            + " revision="
                            + committed.revision
                            + " queue="
                            + SlowLog.millis(committed.queuedMax)
                            + " round="
                            + SlowLog.millis(committed.roundMax)
                            + " commit="
                            + SlowLog.millis(commit)
                            + " publish="
                            + SlowLog.millis(nanos));
        }
    }

    /**
     * A batch sent to the engine.
     *
     * @param queuedMax longest queueing time of its writes
     * @param roundMax longest round that evaluated them
     */
    private record Batch(int writes, long bytes, long revision, long queuedMax, long roundMax) {}
}
