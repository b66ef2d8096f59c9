package io.brain.backend.lease;

import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.store.LeaseRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The leases of the pending state: granted and not revoked, durable or not. Used by the sequencer's
 * thread, except where a method allows any thread.
 *
 * <p>A lease whose revoke is not durable yet remains in the map, marked as ended, until the revoke
 * is published or undone.
 */
public final class LeaseRegistry {
    private final ConcurrentHashMap<Long, Lease> leases = new ConcurrentHashMap<>();
    private final TreeSet<Lease> byNextCheck = new TreeSet<>(Lease.BY_NEXT_CHECK);
    private final TreeSet<Lease> byNextCheckpoint = new TreeSet<>(Lease.BY_NEXT_CHECKPOINT);
    private final Duration checkpointInterval;

    /**
     * An empty registry.
     *
     * @param checkpointInterval time between checkpoints of a lease with more remaining time; zero:
     *     no checkpoints
     */
    public LeaseRegistry(Duration checkpointInterval) {
        this.checkpointInterval = checkpointInterval;
    }

    /** True if the lease is granted and not revoked in the pending state. Any thread. */
    public boolean exists(long id) {
        return find(id) != null;
    }

    /** Number of leases, including ended ones whose end is not published. Any thread. */
    public int size() {
        return leases.size();
    }

    /**
     * Adds a stored lease. Its full time starts now; with checkpoints, the remaining time of the
     * last one.
     */
    public void restore(long id, LeaseRecord stored, long now) {
        Lease lease = new Lease(id, stored.ttl(), stored.remaining());
        leases.put(id, lease);
        boolean remaining = !checkpointInterval.isZero() && stored.remaining() > 0;
        lease.restart(now, remaining ? stored.remaining() : stored.ttl());
        byNextCheck.add(lease);
        checkpointNext(lease, now);
    }

    /** The ids of all published leases, in order of expiry. Any thread. */
    public List<Long> published() {
        List<Listed> listed = new ArrayList<>();
        for (Lease lease : leases.values()) {
            if (lease.isPublished()) {
                listed.add(new Listed(lease, lease.deadline()));
            }
        }
        listed.sort(
                Comparator.comparingLong(Listed::deadline).thenComparingLong(l -> l.lease().id()));
        return listed.stream().map(l -> l.lease().id()).toList();
    }

    /**
     * The number of leases, and those that expire first. Any thread.
     *
     * @param listed limit of leases to list
     */
    public LeaseSummary summary(int listed, long now) {
        PriorityQueue<Listed> first =
                new PriorityQueue<>(Comparator.comparingLong(Listed::deadline).reversed());
        for (Lease lease : leases.values()) {
            if (lease.isPublished() && !lease.isEnded()) {
                first.add(new Listed(lease, lease.deadline()));
                if (first.size() > listed) {
                    first.remove();
                }
            }
        }
        List<LeaseSummary.Entry> next =
                first.stream()
                        .sorted(Comparator.comparingLong(Listed::deadline))
                        .map(soon -> soon.entry(now))
                        .toList();
        return new LeaseSummary(leases.size(), next);
    }

    /** The lease; null if it does not exist in the pending state. Any thread. */
    Lease find(long id) {
        Lease lease = leases.get(id);
        return lease == null || lease.isEnded() ? null : lease;
    }

    /** Adds a granted lease; returns the undo action. */
    Runnable add(Lease lease) {
        Lease replaced = leases.put(lease.id(), lease);
        return () -> {
            byNextCheck.remove(lease);
            byNextCheckpoint.remove(lease);
            if (replaced == null) {
                leases.remove(lease.id(), lease);
            } else {
                leases.replace(lease.id(), lease, replaced);
            }
        };
    }

    /** Starts the time of a new lease. */
    void begin(Lease lease, long now) {
        restart(lease, now);
        checkpointNext(lease, now);
    }

    /** Restarts the full time of a lease. */
    void restart(Lease lease, long now) {
        byNextCheck.remove(lease);
        lease.restart(now, lease.ttl());
        if (!lease.isEnded()) {
            byNextCheck.add(lease);
        }
    }

    /** Restarts the full time of all published leases. */
    public void restartAll(long now) {
        leases.values().stream().filter(Lease::isPublished).forEach(l -> restart(l, now));
    }

    /** Ends a lease; returns the undo action. */
    Runnable end(Lease lease) {
        lease.setEnded(true);
        byNextCheck.remove(lease);
        boolean checkpointed = byNextCheckpoint.remove(lease);
        return () -> {
            lease.setEnded(false);
            if (checkpointed) {
                byNextCheckpoint.add(lease);
            }
            if (lease.isPublished()) {
                byNextCheck.add(lease);
            }
        };
    }

    /** Removes a lease whose revoke is durable. */
    void forget(Lease lease) {
        leases.remove(lease.id(), lease);
    }

    /** Takes at most {@code max} expired leases; those that remain are due at {@code nextCheck}. */
    List<Lease> takeExpired(long now, int max, long nextCheck) {
        List<Lease> expired = new ArrayList<>();
        while (expired.size() < max
                && !byNextCheck.isEmpty()
                && byNextCheck.first().isCheckDue(now)) {
            Lease lease = byNextCheck.pollFirst();
            if (lease.isExpired(now)) {
                expired.add(lease);
            } else { // renewed meanwhile
                lease.checkAt(lease.deadline());
                byNextCheck.add(lease);
            }
        }
        for (Lease lease : expired) {
            lease.checkAt(nextCheck);
            byNextCheck.add(lease);
        }
        return expired;
    }

    /**
     * Schedules the next checkpoint of a lease in one interval, if it has more remaining time than
     * that: otherwise it expires or is renewed before.
     */
    void checkpointNext(Lease lease, long now) {
        long left = lease.checkpoint() > 0 ? lease.checkpoint() : lease.ttl();
        byNextCheckpoint.remove(lease);
        boolean worthwhile = left > checkpointInterval.toSeconds();
        if (worthwhile && !checkpointInterval.isZero() && !lease.isEnded()) {
            lease.checkpointAt(now + checkpointInterval.toNanos());
            byNextCheckpoint.add(lease);
        }
    }

    /**
     * Sets the checkpoint of a lease; returns the undo action.
     *
     * @param seconds remaining time; 0: no checkpoint
     */
    Runnable checkpoint(Lease lease, long seconds, long now) {
        long before = lease.checkpoint();
        long due = lease.nextCheckpoint();
        boolean scheduled = byNextCheckpoint.contains(lease);
        lease.setCheckpoint(seconds);
        checkpointNext(lease, now);
        return () -> {
            byNextCheckpoint.remove(lease);
            lease.setCheckpoint(before);
            lease.checkpointAt(due);
            if (scheduled && !lease.isEnded()) {
                byNextCheckpoint.add(lease);
            }
        };
    }

    /**
     * Takes at most {@code max} leases whose checkpoint is due; they are due again at {@code
     * nextCheck} unless scheduled otherwise meanwhile.
     */
    List<Long> takeForCheckpoint(long now, int max, long nextCheck) {
        List<Lease> due = new ArrayList<>();
        while (due.size() < max
                && !byNextCheckpoint.isEmpty()
                && byNextCheckpoint.first().isCheckpointDue(now)) {
            due.add(byNextCheckpoint.pollFirst());
        }
        for (Lease lease : due) {
            lease.checkpointAt(nextCheck);
            byNextCheckpoint.add(lease);
        }
        return due.stream().map(Lease::id).toList();
    }

    /** A lease and a copy of its deadline, which may change during a sort. */
    private record Listed(Lease lease, long deadline) {
        LeaseSummary.Entry entry(long now) {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toSeconds(deadline - now));
            return new LeaseSummary.Entry(lease.id(), lease.ttl(), left);
        }
    }
}
