package io.brain.backend.compact;

import java.time.Duration;

/**
 * Pace of compaction.
 *
 * @param stepRevisionsMax revisions of the log after which progress is recorded; may be exceeded by
 *     one log entry, or by one revision
 * @param batchBytesMax bytes of keys to delete in one commit, which blocks other commits of an
 *     embedded engine; may be exceeded by one log entry
 * @param remoteBatchBytesMax the same for an engine on the network
 * @param turnTombstonesMax tombstones to remove in one proposal
 * @param rest least pause between commits; the pause is at least as long as the last commit took
 * @param retryPause pause after a failure, or if open reads prevent a step
 * @param restlessRevisions backlog of revisions above which there are no pauses, so that it cannot
 *     grow without limit
 * @param logRevisionsKept revisions below a finished compaction that stay in the commit log, for
 *     watchers that resume there
 */
public record CompactSettings(
        int stepRevisionsMax,
        int batchBytesMax,
        int remoteBatchBytesMax,
        int turnTombstonesMax,
        Duration rest,
        Duration retryPause,
        long restlessRevisions,
        long logRevisionsKept) {
    /** etcd's step; deletes that block other commits for a quarter of a millisecond. */
    public static final CompactSettings DEFAULTS =
            new CompactSettings(
                    1000,
                    8 << 10,
                    1 << 20,
                    100,
                    Duration.ofMillis(1),
                    Duration.ofSeconds(1),
                    2_000_000,
                    0);

    /** The settings with another number of revisions that stay in the log. */
    public CompactSettings withLogKept(long revisions) {
        return new CompactSettings(
                stepRevisionsMax,
                batchBytesMax,
                remoteBatchBytesMax,
                turnTombstonesMax,
                rest,
                retryPause,
                restlessRevisions,
                revisions);
    }

    /** Checks that the limits are positive. */
    public CompactSettings {
        if (stepRevisionsMax < 1
                || batchBytesMax < 1
                || remoteBatchBytesMax < 1
                || turnTombstonesMax < 1
                || rest.isNegative()
                || retryPause.isNegative()
                || restlessRevisions < 0
                || logRevisionsKept < 0) {
            throw new IllegalArgumentException("compaction limits must be positive");
        }
    }
}
