package io.brain.backend.runtime;

/**
 * State of the write path, for metrics.
 *
 * @param pending requests between submission and answer
 * @param pendingMax limit of pending requests
 * @param pendingBytes encoded bytes of pending requests
 * @param pendingBytesMax limit of their bytes
 * @param queued pending requests that the sequencer has not dequeued
 * @param batchNanos age of the batch in flight, with all its attempts; 0 if there is none
 */
public record WriteStats(
        int pending,
        int pendingMax,
        long pendingBytes,
        long pendingBytesMax,
        int queued,
        long batchNanos) {
    /** The statistics of a node that does not lead. */
    public static final WriteStats NONE = new WriteStats(0, 0, 0, 0, 0, 0);
}
