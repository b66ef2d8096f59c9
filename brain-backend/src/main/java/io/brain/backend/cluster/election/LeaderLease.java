package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of this node on the leadership. It renews the leader record, so that no other node
 * takes over, and knows until when none can have done so: a fixed time after the start of the last
 * successful renewal, on this node's clock. It holds longer than that for nodes that hear of this
 * one. On exclusive storage the lease never ends. Belongs to the elector's thread, except {@link
 * #isSure}, {@link #isHeld} and {@link #renewal}.
 */
final class LeaderLease {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    private final ResolvingCommit commits;
    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final boolean exclusive;
    private final Listener listener;
    private volatile LeaderRecord record;
    private boolean deposed;
    private boolean stopped;
    private CompletableFuture<Void> renewal = CompletableFuture.completedFuture(null);

    /** Start of the last successful renewal, in the clock's nanoseconds. */
    private volatile long renewedAt;

    /** Learns of changes of the leadership. */
    interface Listener {
        /** Another node has taken over. Called on the elector's thread. */
        void deposed();

        /**
         * The leadership was not held for a time, in which clients could not renew their leases,
         * and was renewed. Completes on the sequencer's thread, before it is held again.
         */
        CompletableFuture<Void> regained();
    }

    /**
     * Creates the lease of a promotion.
     *
     * @param record stored by the promotion
     * @param since start of the read before the promotion, in the clock's nanoseconds
     */
    LeaderLease(
            LeaderRecord record,
            long since,
            ResolvingCommit commits,
            Store store,
            BackendRuntime runtime,
            ElectionSettings settings,
            Listener listener) {
        this.record = record;
        this.commits = commits;
        this.store = store;
        this.runtime = runtime;
        this.settings = settings;
        this.listener = listener;
        this.exclusive = store.isExclusive();
        renewedAt = since;
    }

    /** True if no other node can have taken over. Any thread. */
    boolean isSure() {
        boolean confirmed = !record.isUnconfirmed();
        return exclusive || (confirmed && age() < settings.sureTime().toNanos());
    }

    /**
     * True if no other node can have taken over that receives updates of this one. It leads then;
     * what it answers must be sure, or proved by a commit. Any thread.
     */
    boolean isHeld() {
        return exclusive || age() < settings.heldTime().toNanos();
    }

    private long age() {
        return runtime.clock().nanos() - renewedAt;
    }

    /** The last stored renewal. Any thread. */
    long renewal() {
        return record.renewal();
    }

    /** The epoch of the term. */
    long epoch() {
        return record.epoch();
    }

    /** Starts renewing a record that this process has stored. */
    void start() {
        if (!exclusive && !record.isUnconfirmed()) {
            renewIn(settings.leaderRenewalInterval());
        }
    }

    /** Confirms a record that the last leader has stored, now that the term has begun. */
    void confirm() {
        if (record.isUnconfirmed()) {
            renew();
        }
    }

    /** True if another node has taken over. */
    boolean isDeposed() {
        return deposed;
    }

    /** Stops renewing. */
    void stop() {
        stopped = true;
    }

    /**
     * Stores that another process leads, or only that this node resigned, once no renewal is in
     * flight. To be called after {@link #stop}.
     *
     * @param successor null: none
     * @param last fence of the term, which has no batch in flight; null: unknown
     */
    CompletableFuture<CommitResult> release(MemberRecord successor, Fence last) {
        return renewal.exceptionally(failure -> null)
                .thenCompose(
                        done ->
                                successor == null || last == null
                                        ? replace(record.resigned())
                                        : handOver(successor, last));
    }

    private CompletableFuture<CommitResult> handOver(MemberRecord successor, Fence last) {
        LeaderRecord next = record.successor(successor);
        return new Promotion(store, commits, next, runtime.random().nextLong())
                .succeed(record.encode(), last)
                .<CommitResult>thenApply(
                        given -> new CommitResult.Committed(given.point().timestamp()))
                .exceptionallyCompose(
                        failure -> {
                            LOG.warn("handover failed error={}", failure.toString());
                            return replace(record.resigned());
                        });
    }

    private void renewIn(Duration pause) {
        runtime.scheduler().schedule(pause, runtime.elector(), this::renew);
    }

    private void renew() {
        if (stopped) {
            return;
        }
        long since = runtime.clock().nanos();
        // Its own lease and URLs: those of a record that the last leader stored may be others.
        LeaderRecord next =
                record.renewed(store.revisions().committed().revision())
                        .with(settings.lease(), settings.peerUrls());
        renewal =
                replace(next)
                        .handleAsync(
                                (result, failure) -> {
                                    renewed(next, since, result, failure);
                                    return null;
                                },
                                runtime.elector());
    }

    private void renewed(LeaderRecord next, long since, CommitResult result, Throwable failure) {
        if (result instanceof CommitResult.Committed) {
            record = next;
            if (isHeld()) {
                renewedAt = since;
            } else {
                var unused =
                        listener.regained().thenRun(() -> renewedAt = Math.max(renewedAt, since));
            }
            Duration rest =
                    settings.leaderRenewalInterval().minusNanos(runtime.clock().nanos() - since);
            renewIn(rest.isNegative() ? Duration.ZERO : rest);
        } else if (result instanceof CommitResult.Conflict) {
            boolean current = !stopped; // otherwise the record may be of this node's next term
            stopped = true;
            deposed = true;
            if (current) {
                listener.deposed();
            }
        } else {
            LOG.warn(
                    "leader lease renewal failed, retrying error={}",
                    result instanceof CommitResult.Unavailable unavailable
                            ? unavailable.cause().getMessage()
                            : String.valueOf(failure));
            renewIn(RETRY_PAUSE);
        }
    }

    private CompletableFuture<CommitResult> replace(LeaderRecord next) {
        Bytes key = store.coder().leaderKey();
        return commits.run(
                WriteBatch.builder().compareAndSet(key, record.encode(), next.encode()).build());
    }
}
