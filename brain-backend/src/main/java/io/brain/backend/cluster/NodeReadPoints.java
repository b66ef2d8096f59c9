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
 * The read points of a node: its own newest state while it surely leads, otherwise the leader's.
 * One request to the leader serves all reads that arrived before it was sent. Thread-safe.
 */
public final class NodeReadPoints implements ReadPoints {
    private final LeaderRouter router;
    private final LocalLeader local;
    private final Revisions revisions;
    private final PendingRequests pending;

    /** The request in flight; null if there is none. */
    private CompletableFuture<ReadPoint> request;

    /** The request after it, for reads that arrived later; null if there are none. */
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
        return local.leadsSurely() ? revisions.committed() : null;
    }

    @Override
    public CompletionStage<ReadPoint> linearizable() {
        if (local.leadsSurely()) {
            return CompletableFuture.completedFuture(revisions.committed());
        }
        CompletableFuture<ReadPoint> first;
        synchronized (this) {
            if (request != null) {
                if (next == null) {
                    next = new CompletableFuture<>();
                }
                // The time also includes the request in flight.
                return pending.withTimeout(next, () -> ErrorKind.TIMEOUT);
            }
            first = new CompletableFuture<>();
            request = first;
        }
        send(first);
        return first;
    }

    @Override
    public CompletionStage<ReadPoint> reached(long revision) {
        CompletableFuture<Void> known = revisions.await(revision);
        CompletableFuture<ReadPoint> point =
                pending.withTimeout(
                        known.thenApply(done -> revisions.committed()), () -> ErrorKind.TIMEOUT);
        Futures.onEnd(point, (found, failure) -> known.cancel(false));
        return point;
    }

    private void send(CompletableFuture<ReadPoint> result) {
        Futures.onEnd(
                router.submit(new GetReadPoint()),
                (point, failure) -> {
                    CompletableFuture<ReadPoint> following = advance();
                    if (failure == null) {
                        result.complete(newest(point.point()));
                    } else {
                        result.completeExceptionally(failure);
                    }
                    if (following != null) {
                        send(following);
                    }
                });
    }

    private synchronized CompletableFuture<ReadPoint> advance() {
        request = next;
        next = null;
        return request;
    }

    /** At least this node's own newest state, so that different reads agree. */
    private ReadPoint newest(ReadPoint point) {
        ReadPoint own = revisions.committed();
        return own.revision() >= point.revision() ? own : point;
    }
}
