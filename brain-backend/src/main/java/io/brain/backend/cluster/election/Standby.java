package io.brain.backend.cluster.election;

import io.brain.backend.model.GrantedLease;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.Replay;
import io.brain.storage.Bytes;
import java.util.concurrent.CompletableFuture;

/**
 * A term's store as a standby: it follows another cluster, whose revisions are replayed. Clients
 * cannot change it, and no lease expires, until {@link #end}. Thread-safe.
 */
public final class Standby {
    /** Submits a proposal of a number of bytes. */
    interface Submitter {
        <T> CompletableFuture<T> submit(Proposal<T> proposal, int bytes);
    }

    private final Bytes recordKey;
    private final TermLeases leases;
    private final Submitter sequencer;
    private volatile long source;

    /**
     * The standby of a term.
     *
     * @param record null: the store is no standby
     */
    Standby(KeyCoder coder, ImportRecord record, TermLeases leases, Submitter sequencer) {
        this.recordKey = coder.importKey();
        this.leases = leases;
        this.sequencer = sequencer;
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

    /**
     * Replays the next revision; may be called before the one before it is done. Fails with a
     * {@link Replay.Diverged} if the store is not as the source was.
     *
     * @param bytes of the changes, for the limit on requests in flight
     */
    public CompletableFuture<Long> replay(Replay revision, int bytes) {
        return sequencer.submit(whileActive(revision), bytes);
    }

    /** Adds a lease of the source. */
    public CompletableFuture<GrantedLease> grant(long id, long ttl) {
        return leases.grant(id, ttl, false);
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
