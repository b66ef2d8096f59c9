package io.brain.backend.read;

/**
 * What the reads are doing, for metrics.
 *
 * @param pending reads between their submission and their answer
 * @param pendingMax how many there may be
 * @param waiting how many wait for room in the response budget, those of committed transactions
 *     included
 * @param heldBytes bytes of answers that are held, by reads at work and by the transport
 * @param heldBytesMax the response budget
 * @param refused reads refused since the start because too many were pending
 */
public record ReadStats(
        int pending,
        int pendingMax,
        int waiting,
        long heldBytes,
        long heldBytesMax,
        long refused) {}
