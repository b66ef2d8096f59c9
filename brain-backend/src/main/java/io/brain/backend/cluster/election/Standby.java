package io.brain.backend.cluster.election;

import io.brain.backend.auth.Caller;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.Replay;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A term's store as a standby: it follows another cluster, whose revisions are replayed. Clients
 * cannot change it, and no lease expires, until {@link #end}. Thread-safe.
 */
public final class Standby {
    /** Submits a proposal of a number of bytes. */
    interface Submitter {
        <T> CompletableFuture<T> submit(Proposal<T> proposal, int bytes);
    }

    private final Revisions revisions;
    private final Bytes recordKey;
    private final TermLeases leases;
    private final Submitter sequencer;
    private final BooleanSupplier held;
    private final Supplier<CompletableFuture<Void>> proof;
    private volatile long source;

    /**
     * The standby of a term.
     *
     * @param record null: the store is no standby
     * @param held true if this node counts as the leader
     * @param proof completes when it is sure that no other node had taken over
     */
    Standby(
            Store store,
            ImportRecord record,
            TermLeases leases,
            Submitter sequencer,
            BooleanSupplier held,
            Supplier<CompletableFuture<Void>> proof) {
        this.revisions = store.revisions();
        this.recordKey = store.coder().importKey();
        this.leases = leases;
        this.sequencer = sequencer;
        this.held = held;
        this.proof = proof;
        this.source = record == null ? 0 : record.standbyOf();
    }

    /** The id of the cluster that the store follows; 0: none. */
    public long source() {
        return source;
    }

    /** True while the store follows another cluster. */
    public boolean isActive() {
        return source != 0;
    }

    /** True if this node counts as the leader: rarely, another may have ended the standby. */
    public boolean isHeld() {
        return held.getAsBoolean();
    }

    /**
     * Completes when it is sure that no other node had taken over at the call, and so none had
     * ended the standby.
     */
    public CompletableFuture<Void> proof() {
        return proof.get();
    }

    /** The newest revision. */
    public long revision() {
        return revisions.committed().revision();
    }

    /** Completes when a revision is there; cancel it if it is not needed. */
    public CompletableFuture<Void> await(long revision) {
        return revisions.await(revision);
    }

    /**
     * Replays the next revision; may be called before the one before it is done. Fails with a
     * {@link Replay.Diverged} if the store is not as the source was.
     */
    public CompletableFuture<Long> replay(RevisionEvents revision) {
        int bytes = (int) Math.min(revision.weight(), Integer.MAX_VALUE);
        return sequencer.submit(whileActive(new Replay(revision)), bytes);
    }

    /** IDs of all leases. */
    public CompletableFuture<List<Long>> leases() {
        return leases.list();
    }

    /** Adds a lease of the source. */
    public CompletableFuture<GrantedLease> grant(long id, long ttl) {
        return leases.grant(Caller.NONE, id, ttl, false);
    }

    /** Removes a lease that has no keys; returns false if it has keys. */
    public CompletableFuture<Boolean> removeUnused(long id) {
        return leases.removeUnused(id);
    }

    /** Ends the standby: clients can change the store, and the full TTL of all leases begins. */
    public CompletableFuture<Void> end() {
        return sequencer.submit(
                context -> {
                    context.deleteRecord(recordKey);
                    context.onPublished(
                            () -> {
                                source = 0;
                                leases.restart();
                                leases.start();
                            });
                    return Answer.of(null);
                },
                0);
    }

    private <T> Proposal<T> whileActive(Proposal<T> proposal) {
        return proposal.after(
                context -> {
                    if (!isActive()) {
                        throw new IllegalStateException("the store is no standby");
                    }
                });
    }
}
