package io.brain.backend.cluster.election;

import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Acquires the leadership with one batch, which moves the fence to the next epoch and stores the
 * leader record. After it no batch of an older epoch can be committed.
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
     * @param state the store after the promotion
     * @param record the stored leader record
     */
    record Acquired(StoreState state, LeaderRecord record) {}

    /** Ends batches in flight, of the last leader and of candidates that failed. */
    CompletionStage<Void> fenceOff() {
        return storage.fenceOff(coder.fenceKey());
    }

    /**
     * Tries once; blocks while it reads. Fails with LEADER_CHANGED if another node was faster, or
     * with a {@link io.brain.storage.StorageException}.
     *
     * @param leader the expected leader record; null: none
     */
    CompletableFuture<Acquired> run(Bytes leader) {
        StoreState before = StoreState.read(storage, coder);
        Fence old = before.fence();
        Fence fence = old.promoted(token);
        StoreState after = before.with(fence);
        LeaderRecord record = candidate.promoted(fence.epoch(), old.revision());
        WriteBatch.Builder batch = WriteBatch.builder();
        ResolvingCommit.replace(batch, coder.fenceKey(), before.stored(), after.stored());
        ResolvingCommit.replace(batch, coder.leaderKey(), leader, record.encode());
        return commits.runOrFail(batch.build())
                .thenApply(done -> new Acquired(after.at(done.timestamp()), record));
    }
}
