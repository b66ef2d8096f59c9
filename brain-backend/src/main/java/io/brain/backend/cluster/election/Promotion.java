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
    private final Fence known;
    private final long token;

    /**
     * Creates a promotion.
     *
     * @param candidate the leader record without its epoch
     * @param known the newest fence that this node knows, which the stored one is not before
     * @param token random number that no other promotion has; see {@link Fence}
     */
    Promotion(
            Store store, ResolvingCommit commits, LeaderRecord candidate, Fence known, long token) {
        this.storage = store.storage();
        this.coder = store.coder();
        this.candidate = candidate;
        this.commits = commits;
        this.known = known;
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
     * Acquires the leadership, without a commit if the last leader has given it to this process.
     * Otherwise ends commits in flight, of the last leader (a renewal of its record is one of its
     * own) and of candidates that failed, and reads the fence. Fails as {@link #run(Bytes)}.
     *
     * @param given the leader record that names this process, in an epoch of which it had no term;
     *     null: none
     * @param leader the expected leader record; null: none
     * @param reader may block
     */
    CompletionStage<Acquired> acquire(LeaderRecord given, Bytes leader, Executor reader) {
        if (given != null) {
            return CompletableFuture.supplyAsync(() -> accept(given), reader);
        }
        return storage.fenceOff(coder.fenceKey())
                .thenCombine(storage.fenceOff(coder.leaderKey()), (batches, renewals) -> leader)
                .thenComposeAsync(this::run, reader);
    }

    private Acquired accept(LeaderRecord given) {
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
     */
    CompletableFuture<Acquired> run(Bytes leader) {
        StoreState before = StoreState.read(storage, coder);
        before.fence().requireNotBefore(known);
        return run(leader, before.fence(), before.stored());
    }

    /** Tries once, after the term whose last fence this is; fails as {@link #run(Bytes)}. */
    CompletableFuture<Acquired> run(Bytes leader, Fence last) {
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
