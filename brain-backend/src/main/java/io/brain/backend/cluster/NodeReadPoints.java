package io.brain.backend.cluster;

import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.read.ReadPoints;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What a node may read: as leader its own newest state, once it is sure that it leads; else what
 * the leader says. One question to the leader serves all reads that came before it was sent.
 * Thread-safe.
 */
public final class NodeReadPoints implements ReadPoints {
    private final LeaderRouter router;
    private final LocalLeader local;
    private final Revisions revisions;
    private final PendingRequests pending;

    /** The question under way; null if there is none. */
    private CompletableFuture<ReadPoint> asked;

    /** What is asked after it, for those who came too late for it; null if nobody did. */
    private CompletableFuture<ReadPoint> next;

    public NodeReadPoints(
            LeaderRouter router, LocalLeader local, Revisions revisions, PendingRequests pending) {
        this.pending = pending;
        this.router = router;
        this.local = local;
        this.revisions = revisions;
    }

    @Override
    public ReadPoint own() {
        return revisions.committed();
    }

    @Override
    public ReadPoint linearizableNow() {
        return local.readPointNow();
    }

    @Override
    public CompletionStage<ReadPoint> linearizable() {
        ReadPoint now = local.readPointNow();
        if (now != null) {
            return CompletableFuture.completedFuture(now);
        }
        if (local.leads()) {
            return ask();
        }
        CompletableFuture<ReadPoint> mine;
        synchronized (this) {
            if (asked != null) {
                if (next == null) {
                    next = new CompletableFuture<>();
                }
                // The question before it may take its time, too.
                return pending.answerInTime(next, () -> ErrorKind.TIMEOUT);
            }
            mine = new CompletableFuture<>();
            asked = mine;
        }
        ask(mine);
        return mine;
    }

    private CompletableFuture<ReadPoint> ask() {
        return router.submit(new GetReadPoint());
    }

    private void ask(CompletableFuture<ReadPoint> question) {
        Futures.onEnd(
                ask(),
                (point, failure) -> {
                    CompletableFuture<ReadPoint> later = goOn();
                    if (failure == null) {
                        question.complete(newest(point));
                    } else {
                        question.completeExceptionally(failure);
                    }
                    if (later != null) {
                        ask(later);
                    }
                });
    }

    private synchronized CompletableFuture<ReadPoint> goOn() {
        asked = next;
        next = null;
        return asked;
    }

    /** This node may know more by now; it reads what it shows elsewhere, too. */
    private ReadPoint newest(ReadPoint point) {
        ReadPoint own = revisions.committed();
        return own.revision() >= point.revision() ? own : point;
    }
}
