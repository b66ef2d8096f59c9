package io.brain.backend.runtime;

/**
 * What the write path has to do, for metrics.
 *
 * @param pending requests between submission and answer
 * @param pendingMax how many there may be
 * @param pendingBytes their bytes as they came over the wire
 * @param pendingBytesMax how many there may be
 * @param queued those of the requests that the sequencer has not taken in
 */
public record WriteStats(
        int pending, int pendingMax, long pendingBytes, long pendingBytesMax, int queued) {
    /** Of a node that does not lead. */
    public static final WriteStats NONE = new WriteStats(0, 0, 0, 0, 0);
}
