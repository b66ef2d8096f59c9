package io.brain.backend.lease;

import io.brain.backend.write.LeaseView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases at the tip: granted and not revoked as far as the sequencer has decided. Belongs to
 * the sequencer's thread, but for {@link #published}, which any thread may ask.
 *
 * <p>A lease whose revoke is decided but not yet durable stays in the map, marked as ended, until
 * the revoke is published or undone.
 */
public final class LeaseRegistry implements LeaseView {
    private final ConcurrentHashMap<Long, Lease> leases = new ConcurrentHashMap<>();
    private final TreeSet<Lease> byNextLook = new TreeSet<>(Lease.BY_NEXT_LOOK);

    @Override
    public boolean exists(long id) {
        return find(id) != null;
    }

    /** Number of leases, ended ones that are not published included. */
    public int size() {
        return leases.size();
    }

    /** A lease that the store holds; its full time to live starts at {@code now}. */
    public void restore(long id, long ttl, long now) {
        Lease lease = new Lease(id, ttl);
        leases.put(id, lease);
        restart(lease, now);
    }

    /** The ids of all published leases, the one that expires first in front. Any thread. */
    public List<Long> published() {
        List<Listed> listed = new ArrayList<>();
        for (Lease lease : leases.values()) {
            if (lease.isPublished()) {
                listed.add(new Listed(lease.id(), lease.deadline()));
            }
        }
        listed.sort(Comparator.comparingLong(Listed::deadline).thenComparingLong(Listed::id));
        return listed.stream().map(Listed::id).toList();
    }

    /** The lease; null if it does not exist at the tip. */
    Lease find(long id) {
        Lease lease = leases.get(id);
        return lease == null || lease.isEnded() ? null : lease;
    }

    /** Adds a decided grant; answers what undoes it. */
    Runnable add(Lease lease) {
        Lease replaced = leases.put(lease.id(), lease);
        return () -> {
            byNextLook.remove(lease);
            if (replaced == null) {
                leases.remove(lease.id(), lease);
            } else {
                leases.replace(lease.id(), lease, replaced);
            }
        };
    }

    /** Starts a lease's time, or starts it anew. */
    void restart(Lease lease, long now) {
        byNextLook.remove(lease);
        lease.restart(now);
        if (!lease.isEnded()) {
            byNextLook.add(lease);
        }
    }

    /** Takes a lease off the tip; answers what undoes it. */
    Runnable end(Lease lease) {
        lease.setEnded(true);
        byNextLook.remove(lease);
        return () -> {
            lease.setEnded(false);
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
            expired.add(byNextLook.pollFirst());
        }
        for (Lease lease : expired) {
            lease.lookAgainAt(nextLook);
            byNextLook.add(lease);
        }
        return expired;
    }

    /** A lease's deadline as it was when the list was made: it may be renewed meanwhile. */
    private record Listed(long id, long deadline) {}
}
