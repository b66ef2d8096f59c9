package io.brain.backend.lease;

import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * A lease in memory. Changed by the sequencer only, except by {@link #renew}; other threads may
 * read volatile fields.
 *
 * <p>It has no deadline until its grant is published, which is when a client can know of it.
 */
final class Lease {
    static final Comparator<Lease> BY_NEXT_CHECK =
            Comparator.<Lease>comparingLong(lease -> lease.nextCheck)
                    .thenComparingLong(lease -> lease.id);

    static final Comparator<Lease> BY_NEXT_CHECKPOINT =
            Comparator.<Lease>comparingLong(lease -> lease.nextCheckpoint)
                    .thenComparingLong(lease -> lease.id);

    private final long id;
    private final long ttl;
    private volatile boolean published;
    private volatile long deadline;
    private long nextCheck;
    private volatile long checkpoint;
    private long nextCheckpoint;
    private volatile boolean ended;

    /**
     * A lease without a deadline.
     *
     * @param checkpoint stored remaining seconds; 0 if there are none
     */
    Lease(long id, long ttl, long checkpoint) {
        this.id = id;
        this.ttl = ttl;
        this.checkpoint = checkpoint;
    }

    long id() {
        return id;
    }

    /** Granted time in seconds. */
    long ttl() {
        return ttl;
    }

    /** True once the grant is durable. */
    boolean isPublished() {
        return published;
    }

    /** Time of expiry; only of a published lease. */
    long deadline() {
        return deadline;
    }

    /** True if revoked or expired in the pending state. */
    boolean isEnded() {
        return ended;
    }

    synchronized void setEnded(boolean value) {
        ended = value;
    }

    /**
     * Restarts the full time; false if the lease is not published, has ended or expired, or has a
     * checkpoint. Any thread. Does not change the time of the next check, which then finds a later
     * deadline.
     */
    synchronized boolean renew(long now) {
        if (!published || ended || checkpoint > 0 || deadline <= now) {
            return false;
        }
        deadline = saturatedSum(now, TimeUnit.SECONDS.toNanos(ttl));
        return true;
    }

    /** Marks the lease as ended if it is expired: it cannot be renewed then. */
    synchronized boolean endIfExpired(long now) {
        ended |= isExpired(now);
        return ended;
    }

    /** Remaining seconds at the last checkpoint, also a pending one; 0 if there is none. */
    long checkpoint() {
        return checkpoint;
    }

    synchronized void setCheckpoint(long seconds) {
        checkpoint = seconds;
    }

    /** Schedules the next checkpoint; only while the lease is in no sorted set. */
    void checkpointAt(long nanos) {
        nextCheckpoint = nanos;
    }

    long nextCheckpoint() {
        return nextCheckpoint;
    }

    boolean isCheckpointDue(long now) {
        return nextCheckpoint <= now;
    }

    /** Sets the remaining time; only while the lease is in no sorted set. */
    synchronized void restart(long now, long seconds) {
        deadline = saturatedSum(now, TimeUnit.SECONDS.toNanos(seconds));
        nextCheck = deadline;
        published = true;
    }

    /** Schedules the next check; only while the lease is in no sorted set. */
    void checkAt(long nanos) {
        nextCheck = nanos;
    }

    boolean isCheckDue(long now) {
        return nextCheck <= now;
    }

    boolean isExpired(long now) {
        return published && deadline <= now;
    }

    /** Remaining seconds, rounded towards zero. */
    long remainingSeconds(long now) {
        return published ? TimeUnit.NANOSECONDS.toSeconds(deadline - now) : ttl;
    }

    /** Remaining seconds, rounded up; only of a published lease that is not expired. */
    long remainingSecondsUp(long now) {
        return TimeUnit.NANOSECONDS.toSeconds(deadline - now - 1) + 1;
    }

    private static long saturatedSum(long now, long more) {
        long sum = now + more;
        return sum < now ? Long.MAX_VALUE : sum;
    }
}
