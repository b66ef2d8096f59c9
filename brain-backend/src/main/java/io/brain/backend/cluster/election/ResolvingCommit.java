package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Commits small batches of its own, outside the write path, and finds out how each ended for good:
 * asks again and again where that is uncertain. Thread-safe.
 */
final class ResolvingCommit {
    private static final Duration SETTLE_PAUSE = Duration.ofMillis(100);

    private final KvStorage storage;
    private final BackendRuntime runtime;

    ResolvingCommit(KvStorage storage, BackendRuntime runtime) {
        this.storage = storage;
        this.runtime = runtime;
    }

    /**
     * Commits a batch with a primary that can be settled. Ends with Committed, Conflict or
     * Unavailable; or with the {@link io.brain.storage.StorageException} that keeps even the engine
     * from ever telling, and whoever starts next finds the store as it is.
     */
    CompletableFuture<CommitResult> run(WriteBatch batch) {
        CompletableFuture<CommitResult> done = new CompletableFuture<>();
        await(storage.commit(batch), batch, done);
        return done;
    }

    private void await(
            CompletionStage<CommitResult> commit,
            WriteBatch batch,
            CompletableFuture<CommitResult> done) {
        commit.whenComplete(
                (result, failure) -> {
                    if (failure != null) {
                        done.completeExceptionally(failure);
                    } else if (!(result instanceof CommitResult.Uncertain uncertain)) {
                        done.complete(result);
                    } else if (uncertain.cause().kind().isLasting()) {
                        done.completeExceptionally(uncertain.cause());
                    } else {
                        runtime.scheduler()
                                .schedule(
                                        SETTLE_PAUSE,
                                        runtime.takeover(),
                                        () -> await(storage.resolve(batch), batch, done));
                    }
                });
    }
}
