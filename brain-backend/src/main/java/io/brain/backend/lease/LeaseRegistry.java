package io.brain.backend.lease;

import io.brain.backend.runtime.LeaseCensus;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.txn.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The leases at the tip: granted and not revoked as far as the sequencer has decided. Belongs to
 * the sequencer's thread, but for {@link #published}, {@link #find} and {@link #size}, which any
 * thread may ask.
 *
 * <p>A lease whose revoke is decided but not yet durable stays in the map, marked as ended, until
 * the revoke is published or undone.
 */
public final class LeaseRegistry implements LeaseView {
    private final ConcurrentHashMap<Long, Lease> leases = new ConcurrentHashMap<>();
    private final TreeSet<Lease> byNextLook = new TreeSet<>(Lease.BY_NEXT_LOOK);
    private final TreeSet<Lease> byNextCheckpoint = new TreeSet<>(Lease.BY_NEXT_CHECKPOINT);
    private final Duration checkpointInterval;

    /**
     * No leases.
     *
     * @param checkpointInterval time between checkpoints of a lease that has more left than that;
     *     zero if there are none
     */
    public LeaseRegistry(Duration checkpointInterval) {
        this.checkpointInterval = checkpointInterval;
    }

    @Override
    public boolean exists(long id) {
        return find(id) != null;
    }

    /** Number of leases, ended ones that are not published included. Any thread. */
    public int size() {
        return leases.size();
    }

    /**
     * A lease that the store holds. Its full time to live starts at {@code now}; with checkpoints,
     * what was left at the last one.
     */
    public void restore(long id, LeaseRecord stored, long now) {
        Lease lease = new Lease(id, stored.ttl(), stored.remaining());
        leases.put(id, lease);
        boolean rest = !checkpointInterval.isZero() && stored.remaining() > 0;
        lease.restart(now, rest ? stored.remaining() : stored.ttl());
        byNextLook.add(lease);
        checkpointNext(lease, now);
    }

    /** The ids of all published leases, the one that expires first in front. Any thread. */
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
     * The leases that end first, by their deadlines as they are while it looks. Any thread.
     *
     * @param listed most that it names; none: only counts
     */
    public LeaseCensus census(int listed, long now) {
        if (listed == 0) {
            return new LeaseCensus(leases.size(), List.of());
        }
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
        List<LeaseCensus.Entry> next =
                first.stream()
                        .sorted(Comparator.comparingLong(Listed::deadline))
                        .map(soon -> soon.entry(now))
                        .toList();
        return new LeaseCensus(leases.size(), next);
    }

    /** The lease; null if it does not exist at the tip. Any thread. */
    Lease find(long id) {
        Lease lease = leases.get(id);
        return lease == null || lease.isEnded() ? null : lease;
    }

    /** Adds a decided grant; answers what undoes it. */
    Runnable add(Lease lease) {
        Lease replaced = leases.put(lease.id(), lease);
        return () -> {
            byNextLook.remove(lease);
            byNextCheckpoint.remove(lease);
            if (replaced == null) {
                leases.remove(lease.id(), lease);
            } else {
                leases.replace(lease.id(), lease, replaced);
            }
        };
    }

    /** Starts a new lease's time. */
    void begin(Lease lease, long now) {
        restart(lease, now);
        checkpointNext(lease, now);
    }

    /** Starts a lease's time anew. */
    void restart(Lease lease, long now) {
        byNextLook.remove(lease);
        lease.restart(now, lease.ttl());
        if (!lease.isEnded()) {
            byNextLook.add(lease);
        }
    }

    /** Takes a lease off the tip; answers what undoes it. */
    Runnable end(Lease lease) {
        lease.setEnded(true);
        byNextLook.remove(lease);
        boolean checkpointed = byNextCheckpoint.remove(lease);
        return () -> {
            lease.setEnded(false);
            if (checkpointed) {
                byNextCheckpoint.add(lease);
            }
            if (lease.isPublished()) {
                byNextLook.add(lease);
            }
        };
    }

    /** Forgets a lease whose revoke is durable. */
    void forget(Lease lease) {
        leases.remove(lease.id(), lease);
    }

    /**
     * Expired leases, at most {@code max}; each comes again only at {@code nextLook}, if it still
     * exists then.
     */
    List<Lease> takeExpired(long now, int max, long nextLook) {
        List<Lease> expired = new ArrayList<>();
        while (expired.size() < max
                && !byNextLook.isEmpty()
                && byNextLook.first().isLookedAtBy(now)) {
            Lease lease = byNextLook.pollFirst();
            if (lease.isExpired(now)) {
                expired.add(lease);
            } else { // renewed since it was put here
                lease.lookAgainAt(lease.deadline());
                byNextLook.add(lease);
            }
        }
        for (Lease lease : expired) {
            lease.lookAgainAt(nextLook);
            byNextLook.add(lease);
        }
        return expired;
    }

    /**
     * Plans the next checkpoint of a lease, an interval after {@code now}. There is none if no more
     * than that is left of it: it ends first, or is renewed.
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
     * Decides what the store is to have as left of a lease; answers what undoes it.
     *
     * @param seconds 0: nothing
     */
    Runnable checkpoint(Lease lease, long seconds, long now) {
        long before = lease.checkpoint();
        long due = lease.nextCheckpoint();
        boolean planned = byNextCheckpoint.contains(lease);
        lease.setCheckpoint(seconds);
        checkpointNext(lease, now);
        return () -> {
            byNextCheckpoint.remove(lease);
            lease.setCheckpoint(before);
            lease.checkpointAt(due);
            if (planned && !lease.isEnded()) {
                byNextCheckpoint.add(lease);
            }
        };
    }

    /**
     * Leases whose checkpoint is due, at most {@code max}; each comes again at {@code nextLook} if
     * nothing else is planned until then.
     */
    List<Long> takeForCheckpoint(long now, int max, long nextLook) {
        List<Lease> due = new ArrayList<>();
        while (due.size() < max
                && !byNextCheckpoint.isEmpty()
                && byNextCheckpoint.first().isCheckpointedBy(now)) {
            due.add(byNextCheckpoint.pollFirst());
        }
        for (Lease lease : due) {
            lease.checkpointAt(nextLook);
            byNextCheckpoint.add(lease);
        }
        return due.stream().map(Lease::id).toList();
    }

    /** A lease's deadline as it was when the list was made: it may be renewed meanwhile. */
    private record Listed(Lease lease, long deadline) {
        LeaseCensus.Entry entry(long now) {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toSeconds(deadline - now));
            return new LeaseCensus.Entry(lease.id(), lease.ttl(), left);
        }
    }
}
