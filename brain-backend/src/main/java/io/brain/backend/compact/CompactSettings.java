package io.brain.backend.compact;

import java.time.Duration;

/**
 * How gently compaction goes.
 *
 * @param stepRevisionsMax revisions of the log after which progress is recorded (a log entry more,
 *     or one revision alone, may exceed it)
 * @param batchBytesMax bytes of the keys that one write of deletes removes, for which an embedded
 *     engine keeps other writes waiting; a log entry more may exceed it
 * @param remoteBatchBytesMax the same for an engine on the network, where a write costs round trips
 * @param turnTombstonesMax keys that are forgotten in one turn of the sequencer
 * @param rest least time between writes; it is as long as the last one took, if that is longer
 * @param retryPause time until the next try after a failure, or after a step that open reads held
 *     up
 * @param restlessRevisions revisions behind the floor above which there are no rests, so that what
 *     is left to do does not grow for ever
 */
public record CompactSettings(
        int stepRevisionsMax,
        int batchBytesMax,
        int remoteBatchBytesMax,
        int turnTombstonesMax,
        Duration rest,
        Duration retryPause,
        long restlessRevisions) {
    /** etcd's step; deletes that keep others waiting for a quarter of a millisecond. */
    public static final CompactSettings DEFAULTS =
            new CompactSettings(
                    1000,
                    8 << 10,
                    1 << 20,
                    100,
                    Duration.ofMillis(1),
                    Duration.ofSeconds(1),
                    2_000_000);

    /** Checks that every limit is positive. */
    public CompactSettings {
        if (stepRevisionsMax < 1
                || batchBytesMax < 1
                || remoteBatchBytesMax < 1
                || turnTombstonesMax < 1
                || rest.isNegative()
                || retryPause.isNegative()
                || restlessRevisions < 0) {
            throw new IllegalArgumentException("compaction limits must be positive");
        }
    }
}
