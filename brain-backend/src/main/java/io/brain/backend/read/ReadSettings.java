package io.brain.backend.read;

/**
 * Limits of reads.
 *
 * @param responseBytesMax heap bytes of answers until the transport has sent them; a larger answer,
 *     by half at most, is built when no other one is held
 * @param readsMax pending reads; more are refused
 * @param requestBytesMax bytes of keys and compared values of pending reads; a read that is alone
 *     may have more
 * @param cacheBytesMax heap bytes of cached heads
 */
public record ReadSettings(
        long responseBytesMax, int readsMax, long requestBytesMax, long cacheBytesMax) {
    public static final long RESPONSE_BYTES_MIN = 1 << 20;

    /** Checks the limits. */
    public ReadSettings {
        if (responseBytesMax < RESPONSE_BYTES_MIN) {
            throw new IllegalArgumentException("response budget too small: " + responseBytesMax);
        }
        if (readsMax <= 0 || requestBytesMax <= 0) {
            throw new IllegalArgumentException("read limits must be positive");
        }
    }
}
