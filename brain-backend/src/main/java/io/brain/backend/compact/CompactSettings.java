package io.brain.backend.compact;

import java.time.Duration;

/**
 * How gently compaction goes.
 *
 * @param stepRevisionsMax revisions of the log after which progress is recorded (a log entry more,
 *     or one revision alone, may exceed it)
 * @param batchBytesMax bytes of the keys that one write of deletes removes; a log entry more may
 *     exceed it
 * @param turnTombstonesMax keys that are forgotten in one turn of the sequencer
 * @param pause time between steps
 * @param retryPause time until the next try after a failure, or after a step that open reads held
 *     up
 */
public record CompactSettings(
        int stepRevisionsMax,
        int batchBytesMax,
        int turnTombstonesMax,
        Duration pause,
        Duration retryPause) {
    /** etcd's step and pause. */
    public static final CompactSettings DEFAULTS =
            new CompactSettings(1000, 1 << 20, 100, Duration.ofMillis(10), Duration.ofSeconds(1));

    /** Checks that every limit is positive. */
    public CompactSettings {
        if (stepRevisionsMax < 1
                || batchBytesMax < 1
                || turnTombstonesMax < 1
                || pause.isNegative()
                || retryPause.isNegative()) {
            throw new IllegalArgumentException("compaction limits must be positive");
        }
    }
}
