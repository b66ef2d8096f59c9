package io.brain.backend.cluster.election;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletableFuture;

/**
 * Becoming the leader: one batch that moves the fence to the next epoch, and stores who did it.
 * From the moment it lands no batch of an older epoch can, so whoever led before has written its
 * last.
 */
final class Promotion {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final ResolvingCommit commits;
    private final LeaderRecord candidate;
    private final long token;

    /**
     * A promotion that can be run.
     *
     * @param candidate what is stored of the new leader, but for the epoch
     * @param token random number that no other promotion has: see {@link Fence}
     */
    Promotion(Store store, ResolvingCommit commits, LeaderRecord candidate, long token) {
        this.storage = store.storage();
        this.coder = store.coder();
        this.candidate = candidate;
        this.commits = commits;
        this.token = token;
    }

    /**
     * A leadership that was taken.
     *
     * @param state the store as it was taken over
     * @param record what is stored of the leader
     */
    record Taken(StoreState state, LeaderRecord record) {}

    /**
     * Tries once. Ends with what was taken; with LEADER_CHANGED if somebody else was faster; or
     * with a {@link io.brain.storage.StorageException}. Blocks while it reads.
     *
     * @param leader the leader's record as it was seen, and as it must still be; null: there was
     *     none
     */
    CompletableFuture<Taken> run(Bytes leader) {
        StoreState before = StoreState.read(storage, coder);
        Fence old = before.fence();
        Fence fence = old.promoted(token);
        StoreState after = before.with(fence);
        LeaderRecord record = candidate.promoted(fence.epoch(), old.revision());
        WriteBatch.Builder batch = WriteBatch.builder();
        set(batch, coder.fenceKey(), before.stored(), after.stored());
        set(batch, coder.leaderKey(), leader, record.encode());
        return commits.run(batch.build()).thenApply(result -> taken(result, after, record));
    }

    private static void set(WriteBatch.Builder batch, Bytes key, Bytes expected, Bytes value) {
        if (expected == null) {
            batch.putIfAbsent(key, value);
        } else {
            batch.compareAndSet(key, expected, value);
        }
    }

    private static Taken taken(CommitResult result, StoreState after, LeaderRecord record) {
        if (result instanceof CommitResult.Committed committed) {
            return new Taken(after.at(committed.timestamp()), record);
        }
        if (result instanceof CommitResult.Unavailable unavailable) {
            throw unavailable.cause();
        }
        throw new BackendException(ErrorKind.LEADER_CHANGED);
    }
}
