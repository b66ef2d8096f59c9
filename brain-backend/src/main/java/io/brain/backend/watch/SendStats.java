package io.brain.backend.watch;

/**
 * Bytes of events that clients have not read.
 *
 * @param bytes of large responses that transports hold
 * @param bytesMax bytes at which no further large response is sent
 * @param waiting streams that wait for room
 * @param dropped streams that were ended because their client did not read while others waited
 */
public record SendStats(long bytes, long bytesMax, int waiting, long dropped) {}
