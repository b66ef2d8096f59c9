package io.brain.backend.lease;

import java.time.Duration;

/**
 * Limits of leases.
 *
 * @param ttlMin least time to live in seconds; shorter grants are raised to it
 * @param leasesMax leases that may exist at once; each takes some 200 bytes of memory
 * @param scanInterval time between looks for expired leases
 * @param scanLeasesMax expired leases that one look revokes, and that may be on their way at once
 * @param retryInterval time until a lease whose revoke or checkpoint failed is looked at again
 * @param checkpointInterval time between checkpoints of what is left of a lease; zero: none, each
 *     leader starts the full time anew
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

    /** Checks that every limit is positive. */
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

    /** The same with checkpoints, or without. */
    public LeaseSettings withCheckpoints(boolean wanted) {
        return new LeaseSettings(
                ttlMin,
                leasesMax,
                scanInterval,
                scanLeasesMax,
                retryInterval,
                wanted ? CHECKPOINT_INTERVAL : Duration.ZERO);
    }

    /** True if what is left of leases is stored. */
    boolean hasCheckpoints() {
        return !checkpointInterval.isZero();
    }
}
