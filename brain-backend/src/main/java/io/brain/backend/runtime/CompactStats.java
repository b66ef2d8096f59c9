package io.brain.backend.runtime;

/**
 * Progress of compaction, for metrics.
 *
 * @param finished the last finished compaction; 0 before the first step
 * @param running true while versions are being removed
 */
public record CompactStats(long finished, boolean running) {
    /** The statistics of a node that does not lead. */
    public static final CompactStats NONE = new CompactStats(0, false);
}
