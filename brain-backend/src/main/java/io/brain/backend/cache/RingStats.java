package io.brain.backend.cache;

/**
 * What the event ring holds, for metrics.
 *
 * @param bytes of the events, counted at their most
 * @param bytesMax how many it may hold
 * @param first the oldest revision
 * @param last the newest revision; less than {@code first} if nothing is held
 * @param evicted revisions that had to leave since the start, for want of room
 */
public record RingStats(long bytes, long bytesMax, long first, long last, long evicted) {}
