package io.brain.backend.lease;

import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * A lease in memory. Changed by the sequencer only, but for {@link #renew}; other threads may read
 * what is volatile.
 *
 * <p>It has no deadline until its grant is published: a client's time starts when it can know of
 * the lease.
 */
final class Lease {
    /** The order in which expired leases are revoked. */
    static final Comparator<Lease> BY_NEXT_LOOK =
            Comparator.<Lease>comparingLong(lease -> lease.nextLook)
                    .thenComparingLong(lease -> lease.id);

    /** The order in which what is left of leases is stored. */
    static final Comparator<Lease> BY_NEXT_CHECKPOINT =
            Comparator.<Lease>comparingLong(lease -> lease.nextCheckpoint)
                    .thenComparingLong(lease -> lease.id);

    private final long id;
    private final long ttl;
    private volatile boolean published;
    private volatile long deadline;
    private long nextLook;
    private volatile long checkpoint;
    private long nextCheckpoint;
    private volatile boolean ended;

    /**
     * A lease without a deadline.
     *
     * @param checkpoint seconds left as the store has it; 0 if it does not
     */
    Lease(long id, long ttl, long checkpoint) {
        this.id = id;
        this.ttl = ttl;
        this.checkpoint = checkpoint;
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

    synchronized void setEnded(boolean value) {
        ended = value;
    }

    /**
     * Gives it its full time anew if nothing has to be decided or stored for that; false if it is
     * not published, ended or expired, or the store knows of a rest. Any thread. Leaves the next
     * look alone: whoever looks finds out.
     */
    synchronized boolean renew(long now) {
        if (!published || ended || checkpoint > 0 || deadline <= now) {
            return false;
        }
        deadline = saturatedSum(now, TimeUnit.SECONDS.toNanos(ttl));
        return true;
    }

    /** Marks it as ended if it is expired: nobody renews it from then on. */
    synchronized boolean endIfExpired(long now) {
        ended |= isExpired(now);
        return ended;
    }

    /** Seconds left as the store has it, or will have; 0 if it has none. */
    long checkpoint() {
        return checkpoint;
    }

    synchronized void setCheckpoint(long seconds) {
        checkpoint = seconds;
    }

    /** Puts off the next checkpoint. Must not be done while the lease is in an order. */
    void checkpointAt(long nanos) {
        nextCheckpoint = nanos;
    }

    /** When the next checkpoint is due; only of a lease in that order. */
    long nextCheckpoint() {
        return nextCheckpoint;
    }

    boolean isCheckpointedBy(long now) {
        return nextCheckpoint <= now;
    }

    /** Gives it so much time from now. Must not be done while the lease is in an order. */
    synchronized void restart(long now, long seconds) {
        deadline = saturatedSum(now, TimeUnit.SECONDS.toNanos(seconds));
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

    /** Seconds left, rounded up; only of a published lease that is not expired. */
    long remainingSecondsUp(long now) {
        return TimeUnit.NANOSECONDS.toSeconds(deadline - now - 1) + 1;
    }

    private static long saturatedSum(long now, long more) {
        long sum = now + more;
        return sum < now ? Long.MAX_VALUE : sum;
    }
}
