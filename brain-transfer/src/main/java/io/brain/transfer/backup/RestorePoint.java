package io.brain.transfer.backup;

import java.time.Instant;

/**
 * Which state to restore: that of a revision, of the end of a second, or the newest one.
 *
 * @param revision 0: none given
 * @param time within the second; null: none given
 * @param newest name of the backup that counts as the newest, whatever was added since; null: none
 *     given
 */
public record RestorePoint(long revision, Instant time, String newest) {
    /** The newest state. */
    public static final RestorePoint NEWEST = new RestorePoint(0, null, null);

    /** Checks that not both are given. */
    public RestorePoint {
        if (revision < 0 || (revision > 0 && time != null)) {
            throw new IllegalArgumentException("revision " + revision + ", time " + time);
        }
    }
}
