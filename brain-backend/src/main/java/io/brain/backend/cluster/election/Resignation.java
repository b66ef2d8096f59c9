package io.brain.backend.cluster.election;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.storage.CommitResult;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletableFuture;

/**
 * Giving a leadership up in good order: what was taken on is answered, then the term ends, then the
 * leader's record says so, so that others need not wait for the lease to pass; and followers hear
 * of it when their streams end.
 */
final class Resignation {
    private final TermHolder terms;
    private final Renewal renewal;
    private final ResolvingCommit commits;
    private final KeyCoder coder;

    Resignation(TermHolder terms, Renewal renewal, ResolvingCommit commits, KeyCoder coder) {
        this.terms = terms;
        this.renewal = renewal;
        this.commits = commits;
        this.coder = coder;
    }

    /**
     * Begins; ends, perhaps with a failure, when there is no more to be done. On the elector's
     * thread.
     *
     * @param successor the member that is to lead; 0: any
     */
    CompletableFuture<CommitResult> run(long successor) {
        renewal.stop();
        LeaderTerm ending = terms.now();
        CompletableFuture<Void> answered =
                ending == null ? CompletableFuture.completedFuture(null) : ending.drained();
        return answered.handle((drained, failure) -> terms.end(ErrorKind.LEADER_CHANGED))
                .thenCompose(ended -> ended)
                .thenCompose(ended -> renewal.kept())
                .thenCompose(record -> commits.run(batch(record, successor)))
                .whenComplete((result, failure) -> terms.tails().endAll());
    }

    private WriteBatch batch(LeaderRecord record, long successor) {
        return WriteBatch.builder()
                .compareAndSet(
                        coder.leaderKey(), record.encode(), record.resigned(successor).encode())
                .build();
    }
}
