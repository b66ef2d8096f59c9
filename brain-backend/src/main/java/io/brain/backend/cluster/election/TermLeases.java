package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.fair.Tenant;
import io.brain.backend.lease.LeaseProposals;
import io.brain.backend.lease.LeaseRegistry;
import io.brain.backend.lease.LeaseScanner;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.txn.Proposal;
import io.brain.storage.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The leases of a leader's term, and the commands about them. Thread-safe. */
final class TermLeases {
    private final TermContext context;
    private final Authority authority;
    private final Alarms alarms;
    private final Submitter sequencer;
    private final Leadership leadership;
    private final LeaseRegistry registry;
    private final LeaseProposals proposals;
    private final LeaseScanner scanner;

    /** What the term knows about its leadership. */
    interface Leadership {
        /** True if no other node can have taken over. */
        boolean isSure();

        /** False if clients cannot renew their leases: then none expires. */
        boolean isHeld();
    }

    /** Submits proposals of no bytes. */
    @FunctionalInterface
    interface Submitter {
        <T> CompletableFuture<T> submit(Proposal<T> proposal, Tenant tenant);
    }

    /**
     * Reads the stored leases: blocks.
     *
     * @param snapshot the term's start state
     * @param sequencer used after {@link #start}
     */
    TermLeases(
            TermContext context,
            Snapshot snapshot,
            Authority authority,
            Alarms alarms,
            Submitter sequencer,
            Leadership leadership) {
        this.context = context;
        this.authority = authority;
        this.alarms = alarms;
        this.sequencer = sequencer;
        this.leadership = leadership;
        var settings = context.settings().lease();
        var coder = context.store().coder();
        registry = new LeaseRegistry(settings.checkpointInterval());
        Map<Long, LeaseRecord> stored = StoredLeases.read(coder, snapshot);
        long now = context.runtime().clock().nanos(); // many leases are read for seconds
        stored.forEach((id, lease) -> registry.restore(id, lease, now));
        proposals =
                new LeaseProposals(
                        registry,
                        coder,
                        context.runtime(),
                        id -> StoredLeases.attachedKeys(context.store(), id),
                        settings);
        scanner =
                new LeaseScanner(
                        registry,
                        this::expire,
                        due -> submit(proposals.checkpoint(due)),
                        context.runtime(),
                        settings);
    }

    void start() {
        scanner.start();
    }

    /** Begins the full TTL of all leases. On the sequencer's thread. */
    void restart() {
        registry.restartAll(context.runtime().clock().nanos());
    }

    void close() {
        scanner.close();
    }

    /** True for a lease that is granted and not revoked in the pending state. */
    boolean exists(long id) {
        return registry.exists(id);
    }

    int count() {
        return registry.size();
    }

    LeaseSummary summary(int listed) {
        return registry.summary(listed, context.runtime().clock().nanos());
    }

    CompletableFuture<GrantedLease> grant(Caller caller, long id, long ttl, boolean needsSpace) {
        return submit(alarms.guard(needsSpace, proposals.grant(id, ttl)), caller);
    }

    /** Removes a lease that has no keys; returns false if it has keys. */
    CompletableFuture<Boolean> removeUnused(long id) {
        return submit(proposals.removeUnused(id));
    }

    CompletableFuture<Long> revoke(Caller caller, long id) {
        Proposal<Long> permitted =
                proposals.revoke(id).after(turn -> authority.checkLease(caller, id, turn));
        return submit(alarms.guard(false, permitted), caller)
                .thenApply(
                        revision -> {
                            context.runtime().listener().leaseRevoked(false);
                            return revision;
                        });
    }

    /** The keys are shown to who may read all of them. */
    CompletableFuture<LeaseTimes> times(Caller caller, long id, boolean withKeys) {
        CompletableFuture<LeaseTimes> times =
                submit(proposals.times(id, withKeys, reader(caller)), caller);
        if (!withKeys) {
            return times;
        }
        return times.thenApply(
                found -> {
                    AuthState state = authority.durable();
                    state.requireCaller(caller);
                    if (!state.permitsAll(caller)) {
                        found.keys().forEach(key -> state.requireRead(caller, KeySpan.of(key)));
                    }
                    return found;
                });
    }

    /** IDs of all leases. */
    CompletableFuture<List<Long>> list() {
        return listOf(Caller.NONE);
    }

    private CompletableFuture<List<Long>> listOf(Caller caller) {
        return submit(proposals.list(reader(caller)), caller);
    }

    /** The leases are shown to who may read all their keys. */
    CompletableFuture<List<Long>> list(Caller caller) {
        AuthState state = authority.durable();
        return listOf(caller)
                .thenCompose(
                        ids -> {
                            state.requireCaller(caller);
                            if (state.permitsAll(caller)) {
                                return CompletableFuture.completedFuture(ids);
                            }
                            return CompletableFuture.supplyAsync(
                                    () -> {
                                        StoredLeases.forEachAttachedKey(
                                                context.store(),
                                                key -> state.requireRead(caller, KeySpan.of(key)));
                                        requireSame(state);
                                        return ids;
                                    },
                                    reader(caller));
                        });
    }

    /** Renews a lease for a caller who may write all its keys. */
    CompletableFuture<GrantedLease> keepAlive(Caller caller, long id) {
        AuthState state = authority.durable();
        if (state.permitsAll(caller)) {
            return renew(caller, id);
        }
        return CompletableFuture.supplyAsync(
                        () -> {
                            state.requireCaller(caller);
                            StoredLeases.requireWrite(context.store(), id, state, caller);
                            requireSame(state);
                            return id;
                        },
                        context.readers().of(caller.tenant().renewals()))
                .thenCompose(permitted -> renew(caller, permitted));
    }

    private void requireSame(AuthState state) {
        if (authority.durable().revision() != state.revision()) {
            throw new BackendException(ErrorKind.AUTH_OLD_REVISION);
        }
    }

    private Executor reader(Caller caller) {
        return context.readers().of(caller.tenant());
    }

    /**
     * Renews a lease, if possible without waiting for pending writes. An expired lease is not
     * renewed: the call waits for its revocation and returns TTL 0, as for an unknown lease.
     */
    private CompletableFuture<GrantedLease> renew(Caller caller, long id) {
        // In this order: not after a revocation at that revision; a renewal after the loss of the
        // leadership has no effect on the successor.
        long revision = context.store().revisions().committed().revision();
        long renewed = proposals.renew(id);
        if (renewed > 0 && leadership.isSure()) {
            return CompletableFuture.completedFuture(new GrantedLease(id, renewed, revision));
        }
        return submit(proposals.keepAlive(id).after(turn -> requireHeld()), caller)
                .thenCompose(
                        answer -> {
                            GrantedLease gone = new GrantedLease(id, 0, answer.revision());
                            return answer.ttl() == LeaseProposals.EXPIRED
                                    ? expireUnlessCorrupt(id).thenApply(ended -> gone)
                                    : CompletableFuture.completedFuture(answer);
                        });
    }

    /** Does not complete while an alarm prevents it: the error would end a stream of renewals. */
    private CompletableFuture<Boolean> expireUnlessCorrupt(long id) {
        return expire(id)
                .exceptionallyCompose(
                        failure ->
                                Failures.isOf(ErrorKind.CORRUPT, failure)
                                        ? new CompletableFuture<>()
                                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Boolean> expire(long id) {
        return submit(alarms.guard(false, proposals.expire(id).after(turn -> requireHeld())))
                .thenApply(
                        ended -> {
                            if (ended) {
                                context.runtime().listener().leaseRevoked(true);
                            }
                            return ended;
                        });
    }

    /** On the sequencer's thread, where {@link #restart} comes before the leadership is held. */
    private void requireHeld() {
        if (!leadership.isHeld()) {
            throw new BackendException(ErrorKind.NOT_LEADER);
        }
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return submit(proposal, Caller.NONE);
    }

    private <T> CompletableFuture<T> submit(Proposal<T> proposal, Caller caller) {
        return sequencer.submit(proposal, caller.tenant());
    }
}
