package io.brain.backend.lease;

import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * A lease in memory. Changed by the sequencer only; other threads may read what is volatile.
 *
 * <p>It has no deadline until its grant is published: a client's time starts when it can know of
 * the lease.
 */
final class Lease {
    /** The order in which expired leases are revoked. */
    static final Comparator<Lease> BY_NEXT_LOOK =
            Comparator.<Lease>comparingLong(lease -> lease.nextLook)
                    .thenComparingLong(lease -> lease.id);

    private final long id;
    private final long ttl;
    private volatile boolean published;
    private volatile long deadline;
    private long nextLook;
    private boolean ended;

    Lease(long id, long ttl) {
        this.id = id;
        this.ttl = ttl;
    }

    long id() {
        return id;
    }

    /** Granted seconds. */
    long ttl() {
        return ttl;
    }

    /** True once the grant is durable. */
    boolean isPublished() {
        return published;
    }

    /** When the lease expires; only of a published lease. */
    long deadline() {
        return deadline;
    }

    /** True if a revoke was decided, durable or not. */
    boolean isEnded() {
        return ended;
    }

    void setEnded(boolean value) {
        ended = value;
    }

    /** Starts the time anew. Must not be done while the lease is in an order. */
    void restart(long now) {
        deadline = saturatedSum(now, TimeUnit.SECONDS.toNanos(ttl));
        nextLook = deadline;
        published = true;
    }

    /** Puts off the next look. Must not be done while the lease is in an order. */
    void lookAgainAt(long nanos) {
        nextLook = nanos;
    }

    boolean isLookedAtBy(long now) {
        return nextLook <= now;
    }

    boolean isExpired(long now) {
        return published && deadline <= now;
    }

    /** Whole seconds left, rounded towards zero. */
    long remainingSeconds(long now) {
        return published ? TimeUnit.NANOSECONDS.toSeconds(deadline - now) : ttl;
    }

    private static long saturatedSum(long now, long more) {
        long sum = now + more;
        return sum < now ? Long.MAX_VALUE : sum;
    }
}
