package io.brain.backend.lease;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * What can be asked of leases, each as a {@link Proposal}, so that all of it happens in the order
 * of writes and no answer shows what is not durable.
 */
public final class LeaseProposals {
    /** The TTL of a lease whose time is over but that is not revoked yet. */
    public static final long EXPIRED = -1;

    private static final long TTL_MAX = 9_000_000_000L;

    private final LeaseRegistry registry;
    private final KeyCoder coder;
    private final BackendRuntime runtime;
    private final LongFunction<List<Bytes>> attachedKeys;
    private final LeaseSettings settings;

    /**
     * Proposals on the leases of {@code registry}.
     *
     * @param attachedKeys reads the published keys of a lease, in key order; called on a reader
     *     thread
     */
    public LeaseProposals(
            LeaseRegistry registry,
            KeyCoder coder,
            BackendRuntime runtime,
            LongFunction<List<Bytes>> attachedKeys,
            LeaseSettings settings) {
        this.registry = registry;
        this.coder = coder;
        this.runtime = runtime;
        this.attachedKeys = attachedKeys;
        this.settings = settings;
    }

    /**
     * Grants a lease: LEASE_TTL_TOO_LARGE, LEASE_EXISTS, or TOO_MANY_REQUESTS if there are too many
     * leases.
     *
     * @param id 0: chosen here, positive
     * @param ttl seconds; raised to the least one
     */
    public Proposal<GrantedLease> grant(long id, long ttl) {
        return turn -> {
            if (ttl > TTL_MAX) {
                throw new BackendException(ErrorKind.LEASE_TTL_TOO_LARGE);
            }
            if (registry.exists(id)) {
                throw new BackendException(ErrorKind.LEASE_EXISTS);
            }
            if (registry.size() >= settings.leasesMax()) {
                throw new BackendException(ErrorKind.TOO_MANY_REQUESTS);
            }
            Lease lease = new Lease(id == 0 ? unusedId() : id, Math.max(ttl, settings.ttlMin()), 0);
            turn.putRecord(coder.leaseKey(lease.id()), new LeaseRecord(lease.ttl(), 0).encode());
            turn.onFailed(registry.add(lease));
            turn.onPublished(() -> registry.begin(lease, runtime.clock().nanos()));
            return Answer.of(new GrantedLease(lease.id(), lease.ttl(), turn.headerRevision()));
        };
    }

    /**
     * Ends a lease and deletes its keys; answers the revision afterwards. LEASE_NOT_FOUND, or
     * REQUEST_TOO_LARGE if it has more keys, or bytes, than one revision may delete.
     */
    public Proposal<Long> revoke(long id) {
        return turn -> {
            Lease lease = registry.find(id);
            if (lease == null) {
                throw new BackendException(ErrorKind.LEASE_NOT_FOUND);
            }
            if (!end(lease, turn)) {
                throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
            }
            return Answer.of(turn.headerRevision());
        };
    }

    /**
     * Revokes a lease if it is (still) expired; answers whether it has ended. One with more keys,
     * or bytes, than one revision may delete loses as many, and waits for the next look.
     */
    public Proposal<Boolean> expire(long id) {
        return turn -> {
            Lease lease = registry.find(id);
            if (lease == null || !lease.endIfExpired(turn.nanos())) {
                return Answer.of(false);
            }
            turn.onFailed(() -> lease.setEnded(false));
            boolean ended = end(lease, turn);
            lease.setEnded(ended);
            return Answer.of(ended);
        };
    }

    /**
     * Starts a lease's time anew at once, past the writes that wait, if nothing is to be decided or
     * stored for that. Any thread; it counts only if this node surely leads afterwards.
     *
     * @return its time to live in seconds; 0 if {@link #keepAlive} has to be asked
     */
    public long renew(long id) {
        Lease lease = registry.find(id);
        return lease != null && lease.renew(runtime.clock().nanos()) ? lease.ttl() : 0;
    }

    /**
     * Starts a lease's time anew. An expired one is left alone and the TTL answered is {@link
     * #EXPIRED}: it must be revoked, and that be waited for. A rest that was stored is taken back
     * before the answer, or the next leader would end the lease too early.
     */
    public Proposal<GrantedLease> keepAlive(long id) {
        return turn -> {
            long revision = turn.revision();
            Lease lease = registry.find(id);
            if (lease == null) {
                return Answer.of(new GrantedLease(id, 0, revision));
            }
            if (lease.isExpired(turn.nanos())) {
                return Answer.of(new GrantedLease(id, EXPIRED, revision));
            }
            if (lease.isPublished()) {
                registry.restart(lease, turn.nanos());
                if (lease.checkpoint() > 0) {
                    store(lease, 0, turn);
                }
            }
            return Answer.of(new GrantedLease(id, lease.ttl(), revision));
        };
    }

    /** Stores what is left of leases, rounded up; those that have all their time are left alone. */
    public Proposal<Void> checkpoint(List<Long> ids) {
        return turn -> {
            for (long id : ids) {
                Lease lease = registry.find(id);
                if (lease == null || !lease.isPublished() || lease.isExpired(turn.nanos())) {
                    continue;
                }
                long rest = lease.remainingSecondsUp(turn.nanos());
                if (rest >= lease.ttl()) {
                    registry.checkpointNext(lease, turn.nanos());
                    continue;
                }
                store(lease, rest, turn);
                if (lease.remainingSecondsUp(turn.nanos()) > rest) {
                    // Renewed in between, which cannot happen any more: nothing is to be stored.
                    store(lease, 0, turn);
                } else {
                    turn.onPublished(runtime.listener()::leaseCheckpointed);
                }
            }
            return Answer.of(null);
        };
    }

    private void store(Lease lease, long rest, TxnContext turn) {
        turn.putRecord(coder.leaseKey(lease.id()), new LeaseRecord(lease.ttl(), rest).encode());
        turn.onFailed(registry.checkpoint(lease, rest, turn.nanos()));
    }

    /** Answers what is left of a lease. */
    public Proposal<LeaseTimes> times(long id, boolean withKeys) {
        return turn -> {
            long revision = turn.revision();
            Lease lease = registry.find(id);
            if (lease == null) {
                return Answer.of(new LeaseTimes(id, -1, 0, List.of(), revision));
            }
            long remaining = lease.remainingSeconds(turn.nanos());
            if (!withKeys) {
                return Answer.of(new LeaseTimes(id, remaining, lease.ttl(), List.of(), revision));
            }
            return later(
                    () ->
                            new LeaseTimes(
                                    id, remaining, lease.ttl(), attachedKeys.apply(id), revision));
        };
    }

    /** Lists the ids of all leases, the one that expires first in front. */
    public Proposal<List<Long>> list() {
        return turn -> later(registry::published);
    }

    private <T> Answer<T> later(Supplier<T> reading) {
        return Answer.afterwards(() -> CompletableFuture.supplyAsync(reading, runtime.readers()));
    }

    /** Deletes the lease and its keys; false if there are too many, and the lease stays. */
    private boolean end(Lease lease, TxnContext turn) {
        boolean all = turn.deleteAttached(lease.id());
        if (all) {
            turn.deleteRecord(coder.leaseKey(lease.id()));
            turn.onFailed(registry.end(lease));
            turn.onPublished(() -> registry.forget(lease));
        }
        return all;
    }

    private long unusedId() {
        long id;
        do {
            id = runtime.random().nextLong() & Long.MAX_VALUE;
        } while (id == 0 || registry.exists(id));
        return id;
    }
}
