package io.brain.backend.cluster.election;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
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
     * @param fence the first of the epoch
     * @param point the store after the promotion
     * @param record the stored leader record
     */
    record Acquired(Fence fence, ReadPoint point, LeaderRecord record) {}

    /**
     * Takes over. A leader that handed over has no batch in flight, so the fence that it reported
     * last is tried first; the batch proves it. Otherwise ends batches in flight, of the last
     * leader and of candidates that failed, and reads the fence. Fails as {@link #run}.
     *
     * @param leader the expected leader record; null: none
     * @param reported by the leader that handed over; null: none did
     * @param reader may block
     */
    CompletionStage<Acquired> takeOver(Bytes leader, Fence reported, Executor reader) {
        if (reported == null) {
            return storage.fenceOff(coder.fenceKey()).thenComposeAsync(done -> run(leader), reader);
        }
        return run(leader, reported, reported.encode())
                .exceptionallyCompose(
                        failure ->
                                Failures.isOf(ErrorKind.LEADER_CHANGED, failure)
                                        ? takeOver(leader, null, reader)
                                        : CompletableFuture.failedFuture(failure));
    }

    /**
     * Tries once; blocks while it reads. Fails with LEADER_CHANGED if another node was faster, or
     * with a {@link io.brain.storage.StorageException}.
     *
     * @param leader the expected leader record; null: none
     */
    CompletableFuture<Acquired> run(Bytes leader) {
        StoreState before = StoreState.read(storage, coder);
        return run(leader, before.fence(), before.stored());
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
