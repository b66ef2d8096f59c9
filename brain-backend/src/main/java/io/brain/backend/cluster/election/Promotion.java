package io.brain.backend.cluster.election;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
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
    record Acquired(Fence fence, ReadPoint point, LeaderRecord record) {}

    /**
     * Acquires the leadership. Ends commits in flight, of the last leader (a renewal of its record
     * is one of its own) and of candidates that failed, before it reads the fence. Fails as {@link
     * #run}.
     *
     * @param given the leader record, if it gives this process an epoch of which it had no term:
     *     nothing is committed, and nothing can be in flight, because the record was committed with
     *     the epoch's fence; otherwise null
     * @param leader the expected leader record; null: none
     * @param reader may block
     */
    CompletionStage<Acquired> acquire(
            LeaderRecord given, Bytes leader, Fence known, Executor reader) {
        return given != null
                ? CompletableFuture.supplyAsync(() -> accept(given, known), reader)
                : storage.fenceOff(List.of(coder.fenceKey(), coder.leaderKey()))
                        .thenComposeAsync(done -> run(leader, known), reader);
    }

    private Acquired accept(LeaderRecord given, Fence known) {
        StoreState state = StoreState.read(storage, coder);
        Fence fence = state.fence();
        fence.requireNotBefore(known);
        if (fence.epoch() != given.epoch()) {
            throw new BackendException(ErrorKind.LEADER_CHANGED);
        }
        ReadPoint point = new ReadPoint(fence.revision(), state.point().timestamp());
        return new Acquired(fence, point, given);
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
        return run(leader, before.fence(), before.stored());
    }

    /** Tries once, after the term of this node whose last fence this is; fails as {@link #run}. */
    CompletableFuture<Acquired> succeed(Bytes leader, Fence last) {
        return run(leader, last, last.encode());
    }

    private CompletableFuture<Acquired> run(Bytes leader, Fence old, Bytes stored) {
        Fence fence = old.promoted(token);
        LeaderRecord record = candidate.promoted(fence.epoch(), old.revision());
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
