package io.brain.backend.lease;

import java.time.Duration;

/**
 * Limits of leases.
 *
 * @param ttlMin least time to live in seconds; shorter grants are raised to it
 * @param leasesMax limit of leases; each takes about 200 bytes of memory
 * @param scanInterval time between checks for expired leases
 * @param scanLeasesMax limit of concurrent expiries
 * @param retryInterval time until the next check of a lease whose expiry or checkpoint failed
 * @param checkpointInterval time between checkpoints of a lease; zero: none, a new leader restarts
 *     the full time
 */
public record LeaseSettings(
        long ttlMin,
        int leasesMax,
        Duration scanInterval,
        int scanLeasesMax,
        Duration retryInterval,
        Duration checkpointInterval) {
    /** etcd's intervals, and a million leases. */
    public static final LeaseSettings DEFAULTS =
            new LeaseSettings(
                    2,
                    1_000_000,
                    Duration.ofMillis(500),
                    500,
                    Duration.ofSeconds(3),
                    Duration.ZERO);

    /** etcd's time between checkpoints. */
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofMinutes(5);

    /** Checks that the limits are positive. */
    public LeaseSettings {
        if (ttlMin < 1
                || leasesMax < 1
                || scanLeasesMax < 1
                || scanInterval.isNegative()
                || scanInterval.isZero()
                || retryInterval.isNegative()
                || checkpointInterval.isNegative()) {
            throw new IllegalArgumentException("lease limits must be positive");
        }
    }

    /** The settings with or without checkpoints. */
    public LeaseSettings withCheckpoints(boolean wanted) {
        return new LeaseSettings(
                ttlMin,
                leasesMax,
                scanInterval,
                scanLeasesMax,
                retryInterval,
                wanted ? CHECKPOINT_INTERVAL : Duration.ZERO);
    }

    boolean hasCheckpoints() {
        return !checkpointInterval.isZero();
    }
}
