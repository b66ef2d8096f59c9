package io.brain.backend.cluster;

import io.brain.backend.cluster.election.Follower;
import io.brain.backend.cluster.link.Leader;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds an answer of the leader back until this node shows its revision, too: a client that asks
 * this node next sees no older state, as in etcd. The leader's stream brings the revision with the
 * answer or a moment later; if it is late, the leader is asked for its read point, which this node
 * then shows. Thread-safe.
 */
final class RevisionCatchUp {
    private static final Duration STREAM_MAX = Duration.ofSeconds(1);

    private final Revisions revisions;
    private final Follower followership;
    private final BackendRuntime runtime;
    private final AtomicBoolean asking = new AtomicBoolean();

    RevisionCatchUp(Revisions revisions, Follower followership, BackendRuntime runtime) {
        this.revisions = revisions;
        this.followership = followership;
        this.runtime = runtime;
    }

    /**
     * Completes when this node shows a revision, or when no leader can be asked for it.
     *
     * @param revision that a leader answered
     */
    CompletableFuture<Void> await(long revision) {
        CompletableFuture<Void> shown = revisions.await(revision);
        if (!shown.isDone()) {
            Scheduler.Timer late =
                    runtime.scheduler()
                            .schedule(STREAM_MAX, runtime.prompt(), () -> catchUp(shown));
            Futures.onEnd(shown, (done, failure) -> late.cancel());
        }
        return shown;
    }

    /** Asks for all that wait; one that needs a later answer comes again. */
    private void catchUp(CompletableFuture<Void> shown) {
        Leader leader = followership.leader();
        if (leader == null || shown.isDone()) {
            shown.complete(null);
            return;
        }
        runtime.scheduler().schedule(STREAM_MAX, runtime.prompt(), () -> catchUp(shown));
        if (asking.compareAndSet(false, true)) {
            ask(leader);
        }
    }

    private void ask(Leader leader) {
        try {
            Futures.onEnd(
                    leader.submit(new LeaderCommand.GetReadPoint()),
                    (point, failure) -> {
                        asking.set(false);
                        if (failure == null) {
                            followership.show(point);
                        }
                    });
        } catch (RuntimeException broken) { // a link that is being closed
            asking.set(false);
            throw broken;
        }
    }
}
