package io.brain.backend.read;

/**
 * Bounds of what reads may take.
 *
 * @param responseBytesMax bytes of answers that may be on the heap at once, those included that the
 *     transport has not sent yet; one answer that is larger, by half at most, is made when no other
 *     is held
 * @param readsMax reads that may wait or run at once; more are refused
 * @param questionBytesMax bytes of keys and compared values that those reads may hold; a read that
 *     is alone may hold more
 * @param cacheBytesMax heap bytes of newest versions of keys that are kept for the next read
 */
public record ReadSettings(
        long responseBytesMax, int readsMax, long questionBytesMax, long cacheBytesMax) {
    /** Least budget that makes sense. */
    public static final long RESPONSE_BYTES_MIN = 1 << 20;

    /** Checks the bounds. */
    public ReadSettings {
        if (responseBytesMax < RESPONSE_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "a response budget of " + responseBytesMax + " bytes is too small");
        }
        if (readsMax <= 0 || questionBytesMax <= 0) {
            throw new IllegalArgumentException(
                    "at most %d reads of %d bytes at once".formatted(readsMax, questionBytesMax));
        }
    }
}
