package io.brain.backend.cluster.election;

import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Gives a candidate the leadership with one batch, which moves the fence to the next epoch and
 * stores the leader record. After it no batch of an older epoch can be committed. The candidate is
 * this node, or the successor of this node's term.
 */
final class Promotion {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final ResolvingCommit commits;
    private final LeaderRecord candidate;
    private final long token;

    /**
     * Creates a promotion.
     *
     * @param candidate the leader record without its epoch
     * @param token random number that no other promotion has; see {@link Fence}
     */
    Promotion(Store store, ResolvingCommit commits, LeaderRecord candidate, long token) {
        this.storage = store.storage();
        this.coder = store.coder();
        this.candidate = candidate;
        this.commits = commits;
        this.token = token;
    }

    /**
     * An acquired leadership.
     *
     * @param fence the first of the epoch
     * @param point the store after the promotion
     * @param record the stored leader record
     */
    record Acquired(Fence fence, ReadPoint point, LeaderRecord record) {
        private Acquired notBefore(Fence known) {
            fence.requireNotBefore(known);
            return this;
        }
    }

    /**
     * Acquires the leadership. Ends commits in flight, of the last leader (a renewal of its record
     * is one of its own) and of candidates that failed, before it reads the fence. Fails as {@link
     * #run}.
     *
     * @param given the leadership, if the last leader gave this process an epoch of which it had no
     *     term: nothing is read or committed, and nothing can be in flight, because the leader
     *     record was committed with the epoch's fence; otherwise null
     * @param leader the expected leader record; null: none
     * @param reader may block
     */
    CompletionStage<Acquired> acquire(Acquired given, Bytes leader, Fence known, Executor reader) {
        return given != null
                ? CompletableFuture.completedFuture(given).thenApply(a -> a.notBefore(known))
                : storage.fenceOff(List.of(coder.fenceKey(), coder.leaderKey()))
                        .thenComposeAsync(done -> run(leader, known), reader);
    }

    /**
     * Tries once; blocks while it reads. Fails with LEADER_CHANGED if another node was faster, or
     * with a {@link io.brain.storage.StorageException}, of kind REFUSED if the store has lost
     * commits.
     *
     * @param leader the expected leader record; null: none
     * @param known the newest fence that this node knows, which the stored one is not before
     */
    CompletableFuture<Acquired> run(Bytes leader, Fence known) {
        StoreState before = StoreState.read(storage, coder);
        before.fence().requireNotBefore(known);
        Fence first = before.fence().promoted(token);
        return run(leader, before.stored(), first, candidate.promoted(first));
    }

    /** Tries once, after the term of this node whose last fence this is; fails as {@link #run}. */
    CompletableFuture<Acquired> succeed(Bytes leader, Fence last) {
        Fence first = last.promoted(token);
        return run(leader, last.encode(), first, candidate.givenWith(first));
    }

    private CompletableFuture<Acquired> run(
            Bytes leader, Bytes stored, Fence fence, LeaderRecord record) {
        WriteBatch.Builder batch = WriteBatch.builder();
        ResolvingCommit.replace(batch, coder.fenceKey(), stored, fence.encode());
        ResolvingCommit.replace(batch, coder.leaderKey(), leader, record.encode());
        return commits.runOrFail(batch.build())
                .thenApply(
                        done -> {
                            ReadPoint point = new ReadPoint(fence.revision(), done.timestamp());
                            return new Acquired(fence, point, record);
                        });
    }
}
