package io.brain.backend.lead;

import io.brain.backend.key.Fence;
import io.brain.backend.key.IdentityRecord;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.LeaderRecord;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Becoming the leader: one batch that moves the fence to the next epoch. From the moment it lands
 * no batch of an older epoch can, so whoever led before has written its last.
 */
final class Promotion {
    private static final Duration SETTLE_PAUSE = Duration.ofMillis(100);

    private final KvStorage storage;
    private final KeyCoder coder;
    private final BackendRuntime runtime;

    Promotion(KvStorage storage, KeyCoder coder, BackendRuntime runtime) {
        this.storage = storage;
        this.coder = coder;
        this.runtime = runtime;
    }

    /**
     * Tries once. Ends with the state that the store was taken over in, or with LEADER_CHANGED if
     * somebody else was faster, or with a {@link io.brain.storage.StorageException}. Blocks while
     * it reads.
     */
    CompletableFuture<StoreState> run() {
        StoreState before = StoreState.read(storage, coder);
        StoreState after = next(before);
        WriteBatch.Builder batch = WriteBatch.builder();
        if (before.stored() == null) {
            batch.putIfAbsent(coder.fenceKey(), after.stored());
        } else {
            batch.compareAndSet(coder.fenceKey(), before.stored(), after.stored());
        }
        long member = after.identity().memberId();
        batch.put(coder.leaderKey(), new LeaderRecord(member, after.fence().epoch()).encode());
        if (before.identity() == null) {
            batch.put(coder.identityKey(), after.identity().encode());
        }
        WriteBatch sealed = batch.build();
        CompletableFuture<StoreState> done = new CompletableFuture<>();
        await(storage.commit(sealed), sealed, after, done);
        return done;
    }

    private StoreState next(StoreState before) {
        Fence old = before.fence();
        Fence fence = new Fence(old.epoch() + 1, old.batch() + 1, old.revision(), old.bytes());
        IdentityRecord identity =
                before.identity() != null
                        ? before.identity()
                        : IdentityRecord.random(runtime.random());
        return new StoreState(fence.encode(), fence, before.compact(), identity, before.point());
    }

    private void await(
            CompletionStage<CommitResult> commit,
            WriteBatch batch,
            StoreState after,
            CompletableFuture<StoreState> done) {
        commit.whenComplete(
                (result, failure) -> {
                    if (failure != null) {
                        done.completeExceptionally(failure);
                    } else if (result instanceof CommitResult.Committed committed) {
                        done.complete(after.at(committed.timestamp()));
                    } else if (result instanceof CommitResult.Unavailable unavailable) {
                        done.completeExceptionally(unavailable.cause());
                    } else if (result instanceof CommitResult.Uncertain uncertain
                            && uncertain.cause().kind().isLasting()) {
                        // Asking again is of no use; who starts next finds the fence as it is.
                        done.completeExceptionally(uncertain.cause());
                    } else if (result instanceof CommitResult.Uncertain) {
                        runtime.scheduler()
                                .schedule(
                                        SETTLE_PAUSE,
                                        runtime.background(),
                                        () -> await(storage.settle(batch), batch, after, done));
                    } else {
                        done.completeExceptionally(new BackendException(ErrorKind.LEADER_CHANGED));
                    }
                });
    }
}
