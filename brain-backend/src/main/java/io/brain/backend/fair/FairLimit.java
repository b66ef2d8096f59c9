package io.brain.backend.fair;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the number and the bytes of requests in progress. A tenant may hold as much as is left
 * (dynamic thresholds; Choudhury and Hahne, 1998): one greedy tenant holds at most a half, {@code
 * n} of them {@code 1/(n+1)} each, and a new one is admitted. For the server's own requests only
 * the totals count. A request that is alone is always admitted; one without bytes is limited by
 * number alone. Thread-safe.
 */
public final class FairLimit {
    private final int countMax;
    private final long bytesMax;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /** What each client holds; without those that hold nothing. */
    private final ConcurrentHashMap<Tenant, Held> tenants = new ConcurrentHashMap<>();

    private record Held(int count, long bytes) {
        static final Held NOTHING = new Held(0, 0);
    }

    /** Creates a limit of all tenants together. */
    public FairLimit(int countMax, long bytesMax) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /** Admits a request until {@link #leave}; false if too much is in progress. */
    public boolean enter(Tenant tenant, long requestBytes) {
        int before = count.getAndIncrement();
        long total = bytes.addAndGet(requestBytes);
        boolean alone = before == 0;
        boolean empty = requestBytes == 0;
        if (alone || (before < countMax && (empty || total <= bytesMax))) {
            Held held = change(tenant, 1, requestBytes);
            int countLeft = countMax - before;
            long bytesLeft = bytesMax - (total - requestBytes);
            boolean fair = held.count <= countLeft && (empty || held.bytes <= bytesLeft);
            if (alone || fair) {
                return true;
            }
            change(tenant, -1, -requestBytes);
        }
        remove(requestBytes);
        return false;
    }

    /** Ends a request that was admitted. */
    public void leave(Tenant tenant, long requestBytes) {
        change(tenant, -1, -requestBytes);
        remove(requestBytes);
    }

    /** Number of requests in progress. */
    public int count() {
        return count.get();
    }

    /** Their bytes. */
    public long bytes() {
        return bytes.get();
    }

    private void remove(long requestBytes) {
        count.decrementAndGet();
        bytes.addAndGet(-requestBytes);
    }

    /** Returns what the tenant holds then. */
    private Held change(Tenant tenant, int requests, long requestBytes) {
        if (tenant.equals(Tenant.SERVER)) {
            return Held.NOTHING;
        }
        Held held =
                tenants.compute(
                        tenant,
                        (key, before) -> {
                            Held old = before == null ? Held.NOTHING : before;
                            int left = old.count + requests;
                            return left == 0 ? null : new Held(left, old.bytes + requestBytes);
                        });
        return held == null ? Held.NOTHING : held;
    }
}
