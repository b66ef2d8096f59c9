package io.brain.backend.fair;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Waiting requests. The next one is the oldest request of the tenant that was charged least
 * (start-time fair queueing), so that tenants that wait get equal shares of the cost, whatever the
 * number of their requests. Not thread-safe: the owner has a lock, and bounds the requests.
 *
 * <p>The virtual time is what a tenant that always waited would have been charged. A tenant begins
 * to wait with its own charges, at least the virtual time: who was idle has no credit. Each charge
 * advances the virtual time, so that nobody is overtaken forever, also not by ever new tenants.
 * Charges above the virtual time are kept while anybody waits; of tenants that do not wait, the
 * highest 1024.
 *
 * @param <T> compared by identity; waits at most once
 */
public final class FairQueue<T extends FairQueue.Request> {
    private static final int IDLE_MAX = 1024;

    /** Something that waits. */
    public interface Request {
        /** Always the same. */
        Tenant tenant();
    }

    /** A request that was taken from the queue. */
    public final class Turn {
        private final T request;
        private final Share share;

        private Turn(T request, Share share) {
            this.request = request;
            this.share = share;
        }

        public T request() {
            return request;
        }
    }

    /** Those in a set below. */
    private final Map<Tenant, Share> shares = new HashMap<>();

    /** Shares with requests. */
    private final TreeSet<Share> waiting = new TreeSet<>();

    /** Other shares that were charged more than {@link #virtualTime}. */
    private final TreeSet<Share> idle = new TreeSet<>();

    private int size;
    private long virtualTime;
    private long turns;

    /** Number of requests. */
    public int size() {
        return size;
    }

    /** Adds a request behind those of its tenant. */
    public void add(T request) {
        resize(1);
        Tenant tenant = request.tenant();
        Share share = shares.get(tenant);
        if (share == null) {
            share = new Share(tenant, virtualTime);
            shares.put(tenant, share);
        } else if (share.requests.isEmpty()) {
            take(share);
            share.charged = Math.max(share.charged, virtualTime);
        }
        share.requests.add(request);
        place(share);
    }

    /** The request that {@link #poll} would return; null if there is none. */
    public T peek() {
        return waiting.isEmpty() ? null : waiting.first().requests.iterator().next();
    }

    /** Takes the next request, which must be charged; null if there is none. */
    public Turn poll() {
        T next = peek();
        if (next == null) {
            return null;
        }
        Share share = waiting.first();
        advance(share.charged);
        take(share);
        share.turn = turns++;
        share.requests.remove(next);
        place(share);
        resize(-1);
        return new Turn(next, share);
    }

    /** Charges the tenant of a request that was taken. Once for each turn. */
    public void charge(Turn turn, long cost) {
        if (size == 0) {
            return;
        }
        Share share = shares.get(turn.share.tenant);
        if (share == null) {
            share = turn.share;
            shares.put(share.tenant, share);
        }
        take(share);
        share.charged += cost;
        place(share);
        // As if one more tenant waited: a tenant that begins now is before those that waited.
        advance(virtualTime + cost / (waiting.size() + 1));
    }

    /** Removes a request; false if it does not wait. */
    public boolean remove(T request) {
        Share share = shares.get(request.tenant());
        if (share == null || !share.requests.contains(request)) {
            return false;
        }
        take(share);
        share.requests.remove(request);
        place(share);
        resize(-1);
        return true;
    }

    /** Removes and returns all requests. */
    public List<T> clear() {
        List<T> all = new ArrayList<>(size);
        waiting.forEach(share -> all.addAll(share.requests));
        resize(-size);
        return all;
    }

    /** Adds the number of requests of each tenant. */
    public void countInto(Map<Tenant, Integer> numbers) {
        waiting.forEach(share -> numbers.merge(share.tenant, share.requests.size(), Integer::sum));
    }

    /** Number of tenants that are remembered. */
    int tenants() {
        return shares.size();
    }

    private void resize(int more) {
        size += more;
        if (size == 0) {
            shares.clear();
            waiting.clear();
            idle.clear();
        }
    }

    private void advance(long time) {
        virtualTime = Math.max(virtualTime, time);
        while (!idle.isEmpty() && idle.first().charged <= virtualTime) {
            shares.remove(idle.pollFirst().tenant);
        }
    }

    /** Before the place of a share changes. */
    private void take(Share share) {
        if (!waiting.remove(share)) {
            idle.remove(share);
        }
    }

    private void place(Share share) {
        if (!share.requests.isEmpty()) {
            waiting.add(share);
        } else if (share.charged > virtualTime) {
            idle.add(share);
            if (idle.size() > IDLE_MAX) {
                shares.remove(idle.pollFirst().tenant);
            }
        } else {
            shares.remove(share.tenant);
        }
    }

    /** The requests of a tenant, and what it was charged. */
    private final class Share implements Comparable<Share> {
        private final Tenant tenant;
        private final Set<T> requests = new LinkedHashSet<>(4);
        private long charged;

        /** Order of equal charges; unique. */
        private long turn = turns++;

        Share(Tenant tenant, long charged) {
            this.tenant = tenant;
            this.charged = charged;
        }

        @Override
        public int compareTo(Share other) {
            int byCharge = Long.compare(charged, other.charged);
            return byCharge != 0 ? byCharge : Long.compare(turn, other.turn);
        }
    }
}
