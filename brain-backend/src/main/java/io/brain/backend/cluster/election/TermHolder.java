package io.brain.backend.cluster.election;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Fence;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's terms, one at a time. They begin and end on the sequencer's thread; which one there
 * is any thread may ask.
 */
final class TermHolder {
    private static final Logger LOG = LoggerFactory.getLogger(TermHolder.class);

    private final TermContext context;
    private final BackendRuntime runtime;
    private final EventStreams tails;
    private final Runnable lost;

    /** Changed on the sequencer thread only. */
    private volatile LeaderTerm now;

    private volatile LeaderTerm latest;
    private volatile boolean beginning;
    private volatile boolean closed;

    /**
     * No term yet.
     *
     * @param ring where commits go through the context's listener
     * @param heartbeat a follower hears something at least so often
     * @param lost is run, on the sequencer's thread, when a term has ended by itself
     */
    TermHolder(TermContext context, EventRing ring, Duration heartbeat, Runnable lost) {
        this.runtime = context.runtime();
        tails =
                new EventStreams(
                        ring,
                        context.store().revisions(),
                        runtime,
                        heartbeat,
                        () -> beginning,
                        this::sure);
        this.context = context.withListener(context.listener().and(tails));
        this.lost = lost;
    }

    /** The term; null while this node does not lead. */
    LeaderTerm now() {
        return now;
    }

    /** The term, while no other node can have taken over; else null. */
    private LeaderTerm sure() {
        LeaderTerm term = now;
        return term != null && term.isSure() ? term : null;
    }

    /** The streams of followers. They end when this node is no longer sure that it leads. */
    EventStreams tails() {
        return tails;
    }

    /** What the last batch of the latest term left under the fence's key; null before the first. */
    Fence fence() {
        LeaderTerm term = latest;
        return term == null ? null : term.fence();
    }

    /** A term may begin soon: the record that says so can be seen before it has. */
    void expect() {
        beginning = true;
    }

    /** The term that was expected does not begin. */
    void expectNoMore() {
        beginning = false;
        tails.endAll();
    }

    /**
     * Begins a term with what was taken; what it goes on from is read first.
     *
     * @param renewal keeps the leadership; null where nobody else can take it
     */
    CompletionStage<Void> begin(Promotion.Taken taken, Renewal renewal) {
        return CompletableFuture.supplyAsync(
                        () ->
                                new LeaderTerm(
                                        taken.state(),
                                        taken.record().memberId(),
                                        context,
                                        new OwnHold(renewal)),
                        runtime.takeover())
                .thenAcceptAsync(this::begin, runtime.sequencer());
    }

    /** Ends the term, if there is one; the stage ends when nothing of it happens any more. */
    CompletionStage<Void> end(ErrorKind why) {
        return CompletableFuture.supplyAsync(() -> endNow(why), runtime.sequencer())
                .thenCompose(ended -> ended);
    }

    /** The term that is, if there is one, was taken over by another node. */
    void depose() {
        runtime.sequencer()
                .execute(
                        () -> {
                            if (now != null) {
                                lost(ErrorKind.LEADER_CHANGED, null);
                            }
                        });
    }

    /**
     * Ends the term, and lets none begin any more. Does not wait. Own clients are told by others
     * that the node stops; for those of other nodes only the leader changes.
     */
    void close() {
        closed = true;
        runtime.sequencer().execute(() -> endNow(ErrorKind.LEADER_CHANGED));
    }

    private void begin(LeaderTerm next) {
        if (closed) {
            return;
        }
        next.publish();
        now = next;
        latest = next;
        beginning = false;
        next.start();
        runtime.listener().termBegan();
        Fence fence = next.fence();
        LOG.info("leading in epoch {}, at revision {}", fence.epoch(), fence.revision());
    }

    private CompletionStage<Void> endNow(ErrorKind why) {
        LeaderTerm ending = now;
        now = null;
        beginning = false;
        return ending == null ? CompletableFuture.completedFuture(null) : ending.close(why);
    }

    private void lost(ErrorKind why, Throwable cause) {
        LOG.warn("lost the leadership: {}", cause == null ? why : cause.toString());
        endNow(why);
        lost.run();
    }

    /** A hold on the leadership. */
    private final class OwnHold implements Holder {
        private final Renewal renewal;

        OwnHold(Renewal renewal) {
            this.renewal = renewal;
        }

        @Override
        public boolean isSure() {
            return renewal == null || renewal.isSure();
        }

        @Override
        public void lost(ErrorKind why, Throwable cause) {
            TermHolder.this.lost(why, cause);
        }
    }
}
