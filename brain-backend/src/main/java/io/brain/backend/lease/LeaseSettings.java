package io.brain.backend.lease;

import java.time.Duration;

/**
 * Limits of leases.
 *
 * @param ttlMin least time to live in seconds; shorter grants are raised to it
 * @param leasesMax leases that may exist at once; each takes some 150 bytes of memory
 * @param scanInterval time between looks for expired leases
 * @param scanLeasesMax expired leases that one look revokes, and that may be on their way at once
 * @param retryInterval time until a lease whose revoke failed is looked at again
 */
public record LeaseSettings(
        long ttlMin,
        int leasesMax,
        Duration scanInterval,
        int scanLeasesMax,
        Duration retryInterval) {
    /** etcd's intervals, and a million leases. */
    public static final LeaseSettings DEFAULTS =
            new LeaseSettings(2, 1_000_000, Duration.ofMillis(500), 500, Duration.ofSeconds(3));

    /** Checks that every limit is positive. */
    public LeaseSettings {
        if (ttlMin < 1
                || leasesMax < 1
                || scanLeasesMax < 1
                || scanInterval.isNegative()
                || scanInterval.isZero()
                || retryInterval.isNegative()) {
            throw new IllegalArgumentException("lease limits must be positive");
        }
    }
}
