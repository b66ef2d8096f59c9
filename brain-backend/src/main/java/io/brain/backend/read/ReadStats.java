package io.brain.backend.read;

/**
 * State of the reads, for metrics.
 *
 * @param pending reads between submission and answer
 * @param pendingMax limit of pending reads
 * @param waiting reads that wait for the response budget, those of committed transactions included
 * @param heldBytes bytes of answers held by running reads and by the transport
 * @param heldBytesMax the response budget
 * @param refused reads refused since start because too many were pending
 */
public record ReadStats(
        int pending,
        int pendingMax,
        int waiting,
        long heldBytes,
        long heldBytesMax,
        long refused) {}
