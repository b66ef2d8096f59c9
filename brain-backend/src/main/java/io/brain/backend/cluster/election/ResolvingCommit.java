package io.brain.backend.cluster.election;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Commits small batches outside the write path and resolves uncertain results. Thread-safe. */
public final class ResolvingCommit {
    private static final Duration RESOLVE_PAUSE = Duration.ofMillis(100);

    private final KvStorage storage;
    private final BackendRuntime runtime;

    public ResolvingCommit(KvStorage storage, BackendRuntime runtime) {
        this.storage = storage;
        this.runtime = runtime;
    }

    /**
     * Commits a batch whose primary can be resolved. Completes with Committed, Conflict or
     * Unavailable; fails with a {@link io.brain.storage.StorageException} if even the engine cannot
     * resolve it.
     */
    CompletableFuture<CommitResult> run(WriteBatch batch) {
        CompletableFuture<CommitResult> done = new CompletableFuture<>();
        await(answer(() -> storage.commit(batch)), batch, done);
        return done;
    }

    /**
     * Commits a batch whose primary can be resolved. Fails with LEADER_CHANGED on a conflict, or
     * with a {@link io.brain.storage.StorageException}.
     */
    public CompletableFuture<CommitResult.Committed> runOrFail(WriteBatch batch) {
        return run(batch)
                .thenApply(
                        result -> {
                            if (result instanceof CommitResult.Unavailable unavailable) {
                                throw unavailable.cause();
                            }
                            if (result instanceof CommitResult.Committed committed) {
                                return committed;
                            }
                            throw new BackendException(ErrorKind.LEADER_CHANGED);
                        });
    }

    /**
     * Adds the replacement of a value, which conflicts if the stored value is not as expected.
     *
     * @param expected null: none
     */
    public static void replace(WriteBatch.Builder batch, Bytes key, Bytes expected, Bytes value) {
        if (expected == null) {
            batch.putIfAbsent(key, value);
        } else {
            batch.compareAndSet(key, expected, value);
        }
    }

    private void resolve(WriteBatch batch, CompletableFuture<CommitResult> done) {
        await(answer(() -> storage.resolve(batch)), batch, done);
    }

    /** An engine may throw, for example without memory. */
    private static CompletionStage<CommitResult> answer(
            Supplier<CompletionStage<CommitResult>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
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
                                        RESOLVE_PAUSE,
                                        runtime.takeover(),
                                        () -> resolve(batch, done));
                    }
                });
    }
}
