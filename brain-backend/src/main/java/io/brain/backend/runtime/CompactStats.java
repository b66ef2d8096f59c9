package io.brain.backend.runtime;

/**
 * How far compaction has got, for metrics.
 *
 * @param finished everything up to a compaction at this revision is removed; 0 before the first
 *     look
 * @param running whether something is being removed, or could be
 */
public record CompactStats(long finished, boolean running) {
    /** Of a node that does not lead. */
    public static final CompactStats NONE = new CompactStats(0, false);
}
