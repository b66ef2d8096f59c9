package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.cluster.link.LeaderContact;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins and ends this node's terms, one at a time, on the sequencer's thread. Any thread may ask
 * for the current one.
 */
final class TermHolder implements LeaderLease.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(TermHolder.class);

    /** Longer than a store needs to choose another server for a part of its data. */
    private static final Duration STALLED = Duration.ofSeconds(20);

    private final TermContext context;
    private final BackendRuntime runtime;
    private final Follower follower;
    private final EventStreams streams;
    private final Runnable onLost;

    /** Limit of a commit during a resignation: then others may lead, and this node must follow. */
    private final Duration commitMax;

    /** Changed on the sequencer's thread only. */
    private volatile LeaderTerm current;

    private volatile LeaderTerm latest;

    /**
     * True if a term may begin, or its end is not stored yet: event streams stay open. Those of the
     * next epoch do in any case, since a follower may connect to the named successor first.
     */
    private volatile boolean changing;

    private volatile boolean closed;

    /** On the elector's thread. */
    private boolean rehearsed;

    /**
     * Creates a holder without a term.
     *
     * @param ring filled by the context's listener
     * @param follower knows the fences of other nodes' terms
     * @param onLost called on the sequencer's thread when a term lost the leadership
     */
    TermHolder(
            TermContext context,
            EventRing ring,
            ElectionSettings settings,
            Follower follower,
            Runnable onLost) {
        this.context = context;
        this.runtime = context.runtime();
        this.follower = follower;
        streams =
                new EventStreams(
                        ring,
                        context.store().revisions(),
                        context.auth(),
                        runtime,
                        settings.heartbeat(),
                        epoch -> changing || (epoch > 1 && epoch == newestFence().epoch() + 1),
                        this::held);
        context.store().revisions().onPublish(streams::wakeAll);
        context.auth().onChange(streams::wakeAll);
        this.onLost = onLost;
        commitMax = settings.lease();
    }

    /** The term; null while this node does not lead. */
    LeaderTerm current() {
        return current;
    }

    /** The term while this node counts as the leader; otherwise null. */
    LeaderTerm held() {
        LeaderTerm term = current;
        return term != null && term.isHeld() ? term : null;
    }

    /**
     * True if a batch has not been committed for long, and another node can try: one that may reach
     * a part of the store that this one does not.
     */
    boolean isStalled() {
        LeaderTerm term = current;
        return term != null
                && term.writeStats().batchNanos() >= STALLED.toNanos()
                && streams.reachable(0) != 0;
    }

    /** The event streams of followers, which end when this node counts as no leader. */
    EventStreams streams() {
        return streams;
    }

    /** The newest known fence, of this node's latest term or of another leader. */
    Fence newestFence() {
        Fence reported = follower.fence();
        LeaderTerm term = latest;
        Fence own = term == null ? null : term.fence();
        return own == null || reported.batch() > own.batch() ? reported : own;
    }

    /** Keeps event streams open for a term that may begin: followers may see its record earlier. */
    void expect() {
        changing = true;
    }

    /** Reverts {@link #expect}. */
    void expectNone() {
        changing = false;
        streams.wakeAll();
    }

    /**
     * Once there is contact with a leader, creates a term and drops it: the code is loaded and
     * connections to the stores of its start state exist when the first term of this process
     * begins. On the elector's thread.
     */
    void rehearse() {
        LeaderContact contact = follower.lastContact();
        if (rehearsed || contact == null) {
            return;
        }
        rehearsed = true;
        ReadPoint point = context.store().revisions().committed();
        var seen = new Promotion.Acquired(follower.fence(), point, contact.leader());
        var unused =
                CompletableFuture.supplyAsync(
                        () -> new LeaderTerm(seen, context, null, this::lost),
                        runtime.background());
    }

    /** Begins a term, after reading its start state. */
    CompletionStage<Void> begin(Promotion.Acquired acquired, LeaderLease lease) {
        return CompletableFuture.supplyAsync(
                        () -> new LeaderTerm(acquired, context, lease, this::lost),
                        runtime.takeover())
                .thenAcceptAsync(this::begin, runtime.sequencer());
    }

    /**
     * Answers all accepted writes, while further ones wait for the next leader, ends the term, and
     * hands it over. Then event streams end: that is when other nodes look at the record. Completes
     * with true if the successor cannot lead, so that this term goes on. On the elector's thread.
     *
     * @param successor a member; 0: one that has a stream, if there is one
     */
    CompletionStage<Boolean> resign(LeaderLease lease, long successor) {
        long id = streams.reachable(successor);
        return CompletableFuture.supplyAsync(() -> process(id), runtime.takeover())
                .exceptionally(unknown -> null)
                .thenComposeAsync(
                        next ->
                                next == null && successor != 0
                                        ? CompletableFuture.completedFuture(true)
                                        : resign(lease, next),
                        runtime.elector());
    }

    private CompletionStage<Boolean> resign(LeaderLease lease, MemberRecord successor) {
        lease.stop();
        return CompletableFuture.completedFuture(null)
                .thenComposeAsync(idle -> limited(drain()), runtime.sequencer())
                // After the updates of all batches, which followers need not read then.
                .thenRunAsync(() -> {}, runtime.prompt())
                .handle((drained, busy) -> busy == null ? successor : null)
                .thenComposeAsync(next -> end(lease, next), runtime.sequencer())
                .whenComplete(
                        (result, failure) -> {
                            LOG.info(
                                    "resigned leadership result={}",
                                    failure == null ? result : failure);
                            expectNone();
                        })
                .thenApply(resigned -> false);
    }

    private CompletionStage<CommitResult> end(LeaderLease lease, MemberRecord successor) {
        expect();
        LeaderTerm ending = current;
        Fence last = ending == null ? null : ending.fence();
        return end(ErrorKind.LEADER_CHANGED)
                .thenCompose(ended -> limited(lease.release(successor, last)));
    }

    /** Fails with TIMEOUT if the work takes longer than {@link #commitMax}. */
    private <T> CompletableFuture<T> limited(CompletableFuture<T> work) {
        return Futures.limited(work, commitMax, runtime.scheduler(), runtime.sequencer());
    }

    /** The process of a member; null if there is none. Blocks. */
    private MemberRecord process(long id) {
        if (id == 0) {
            return null;
        }
        try (Snapshot snapshot = context.store().storage().snapshot()) {
            Bytes stored = snapshot.get(context.store().coder().memberKey(id));
            MemberRecord record = stored == null ? null : MemberRecord.decode(id, stored);
            return record == null || record.instance().id() == 0 ? null : record;
        }
    }

    /** Ends the term, if there is one, because another node has taken over. */
    @Override
    public void deposed() {
        runtime.sequencer()
                .execute(
                        () -> {
                            if (current != null) {
                                lost(ErrorKind.LEADER_CHANGED, null);
                            }
                        });
    }

    @Override
    public CompletableFuture<Void> regained() {
        return CompletableFuture.runAsync(
                () -> {
                    if (current != null) {
                        LOG.info("leadership held again, restarting the TTL of all leases");
                        current.restartLeases();
                    }
                },
                runtime.sequencer());
    }

    /** Ends the term and lets no other begin. Does not wait. */
    void close() {
        closed = true;
        runtime.sequencer()
                .execute(
                        () -> {
                            changing = false;
                            end(ErrorKind.LEADER_CHANGED);
                        });
    }

    private void begin(LeaderTerm next) {
        if (closed) {
            return;
        }
        next.publish();
        current = next;
        latest = next;
        changing = false;
        next.start();
        streams.wakeAll();
        runtime.listener().termBegan();
        Fence fence = next.fence();
        LOG.info("became leader epoch={} revision={}", fence.epoch(), fence.revision());
    }

    private CompletableFuture<Void> drain() {
        return current == null ? CompletableFuture.completedFuture(null) : current.drain();
    }

    private CompletionStage<Void> end(ErrorKind why) {
        LeaderTerm ending = current;
        current = null;
        return ending == null ? CompletableFuture.completedFuture(null) : ending.close(why);
    }

    private void lost(ErrorKind why, Throwable cause) {
        LOG.warn("lost leadership cause={}", cause == null ? why : cause.toString());
        changing = false;
        end(why);
        onLost.run();
    }
}
