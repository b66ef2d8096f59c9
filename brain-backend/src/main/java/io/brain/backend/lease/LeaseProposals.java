package io.brain.backend.lease;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnContext;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Operations on leases as {@link Proposal}s: executed in the order of writes, answered when they
 * are durable.
 */
public final class LeaseProposals {
    /** TTL of an expired lease that is not revoked yet. */
    public static final long EXPIRED = -1;

    private static final long TTL_MAX = 9_000_000_000L;

    private final LeaseRegistry registry;
    private final KeyCoder coder;
    private final BackendRuntime runtime;
    private final LongFunction<List<Bytes>> attachedKeys;
    private final LeaseSettings settings;

    /**
     * Proposals for the leases of {@code registry}.
     *
     * @param attachedKeys reads the published keys of a lease, in key order, on a reader thread
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
     * Grants a lease. Fails with LEASE_TTL_TOO_LARGE, LEASE_EXISTS, or TOO_MANY_REQUESTS if there
     * are too many leases.
     *
     * @param id 0: chosen here, positive
     * @param ttl seconds; raised to the minimum
     */
    public Proposal<GrantedLease> grant(long id, long ttl) {
        return context -> {
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
            context.putRecord(coder.leaseKey(lease.id()), new LeaseRecord(lease.ttl(), 0).encode());
            context.onFailed(registry.add(lease));
            context.onPublished(() -> registry.begin(lease, runtime.clock().nanos()));
            return Answer.of(new GrantedLease(lease.id(), lease.ttl(), context.headerRevision()));
        };
    }

    /**
     * Revokes a lease and deletes its keys; returns the new revision. Fails with LEASE_NOT_FOUND,
     * or REQUEST_TOO_LARGE if it has more keys, or bytes, than one revision may delete.
     */
    public Proposal<Long> revoke(long id) {
        return context -> {
            Lease lease = registry.find(id);
            if (lease == null) {
                throw new BackendException(ErrorKind.LEASE_NOT_FOUND);
            }
            if (!end(lease, context)) {
                throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
            }
            return Answer.of(context.headerRevision());
        };
    }

    /** Removes a lease that has no keys; returns false if it has keys. */
    public Proposal<Boolean> removeUnused(long id) {
        return context -> {
            Lease lease = registry.find(id);
            boolean unused = context.attachedKey(id, Bytes.EMPTY) == null;
            return Answer.of(unused && (lease == null || end(lease, context)));
        };
    }

    /**
     * Revokes a lease if it is still expired; returns true if it ended. A lease with more keys, or
     * bytes, than one revision may delete loses as many, and ends in a later expiry.
     */
    public Proposal<Boolean> expire(long id) {
        return context -> {
            Lease lease = registry.find(id);
            if (lease == null || !lease.endIfExpired(context.nanos())) {
                return Answer.of(false);
            }
            context.onFailed(() -> lease.setEnded(false));
            boolean ended = end(lease, context);
            lease.setEnded(ended);
            return Answer.of(ended);
        };
    }

    /**
     * Renews a lease without waiting for pending writes, if no decision or write is needed. Any
     * thread; valid only if this node certainly leads afterwards.
     *
     * @return its TTL in seconds; 0 if {@link #keepAlive} is needed
     */
    public long renew(long id) {
        Lease lease = registry.find(id);
        return lease != null && lease.renew(runtime.clock().nanos()) ? lease.ttl() : 0;
    }

    /**
     * Renews a lease. For an expired one the TTL is {@link #EXPIRED}: the caller must wait until it
     * is revoked. Removes a checkpoint before the answer, or the next leader would expire the lease
     * too early.
     */
    public Proposal<GrantedLease> keepAlive(long id) {
        return context -> {
            long revision = context.revision();
            Lease lease = registry.find(id);
            if (lease == null) {
                return Answer.of(new GrantedLease(id, 0, revision));
            }
            if (lease.isExpired(context.nanos())) {
                return Answer.of(new GrantedLease(id, EXPIRED, revision));
            }
            if (lease.isPublished()) {
                registry.restart(lease, context.nanos());
                if (lease.checkpoint() > 0) {
                    store(lease, 0, context);
                }
            }
            return Answer.of(new GrantedLease(id, lease.ttl(), revision));
        };
    }

    /** Stores remaining times, rounded up, except of leases that have their full time. */
    public Proposal<Void> checkpoint(List<Long> ids) {
        return context -> {
            for (long id : ids) {
                Lease lease = registry.find(id);
                if (lease == null || !lease.isPublished() || lease.isExpired(context.nanos())) {
                    continue;
                }
                long remaining = lease.remainingSecondsUp(context.nanos());
                if (remaining >= lease.ttl()) {
                    registry.checkpointNext(lease, context.nanos());
                    continue;
                }
                store(lease, remaining, context);
                if (lease.remainingSecondsUp(context.nanos()) > remaining) {
                    // Renewed meanwhile, and now it cannot be: remove the checkpoint.
                    store(lease, 0, context);
                } else {
                    context.onPublished(runtime.listener()::leaseCheckpointed);
                }
            }
            return Answer.of(null);
        };
    }

    private void store(Lease lease, long remaining, TxnContext context) {
        context.putRecord(
                coder.leaseKey(lease.id()), new LeaseRecord(lease.ttl(), remaining).encode());
        context.onFailed(registry.checkpoint(lease, remaining, context.nanos()));
    }

    /** Returns the times of a lease. */
    public Proposal<LeaseTimes> times(long id, boolean withKeys, Executor reader) {
        return context -> {
            long revision = context.revision();
            Lease lease = registry.find(id);
            if (lease == null) {
                return Answer.of(new LeaseTimes(id, -1, 0, List.of(), revision));
            }
            long remaining = lease.remainingSeconds(context.nanos());
            if (!withKeys) {
                return Answer.of(new LeaseTimes(id, remaining, lease.ttl(), List.of(), revision));
            }
            return later(
                    () ->
                            new LeaseTimes(
                                    id, remaining, lease.ttl(), attachedKeys.apply(id), revision),
                    reader);
        };
    }

    /** Lists the ids of all leases, in order of expiry. */
    public Proposal<List<Long>> list(Executor reader) {
        return context -> later(registry::published, reader);
    }

    private static <T> Answer<T> later(Supplier<T> read, Executor reader) {
        return Answer.afterwards(() -> CompletableFuture.supplyAsync(read, reader));
    }

    /** Deletes the lease and its keys; false if there are too many, and the lease remains. */
    private boolean end(Lease lease, TxnContext context) {
        boolean all = context.deleteAttached(lease.id());
        if (all) {
            context.deleteRecord(coder.leaseKey(lease.id()));
            context.onFailed(registry.end(lease));
            context.onPublished(() -> registry.forget(lease));
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
