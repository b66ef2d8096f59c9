package io.brain.backend;

import java.time.Duration;

/**
 * What clients may ask for.
 *
 * @param quotaBytes stored bytes at which what needs room is refused and an alarm raised; 0: none
 * @param requestBytesMax bytes of a request that changes something
 * @param txnOpsMax compares, or steps of a branch, of a transaction
 * @param requestTimeout time after which a request that waits to be decided or made durable ends
 *     with TIMEOUT, whatever becomes of it
 */
public record NodeLimits(
        long quotaBytes, int requestBytesMax, int txnOpsMax, Duration requestTimeout) {
    /** etcd's limits, but no quota. */
    public static final NodeLimits DEFAULTS =
            new NodeLimits(0, 1536 << 10, 128, Duration.ofSeconds(7));

    /** Checks that the limits let something through. */
    public NodeLimits {
        if (quotaBytes < 0
                || requestBytesMax < 1
                || txnOpsMax < 1
                || requestTimeout.isNegative()
                || requestTimeout.isZero()) {
            throw new IllegalArgumentException("a limit of the node lets nothing through");
        }
    }
}
