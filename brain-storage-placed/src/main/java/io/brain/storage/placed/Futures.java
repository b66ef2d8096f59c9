package io.brain.storage.placed;

import io.brain.storage.CommitResult;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Waiting for stages, and their failures. */
final class Futures {
    private Futures() {}

    /** Waits; throws the failure itself. */
    static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    /** The failure as one of the storage. */
    static StorageException failure(Throwable thrown) {
        Throwable cause = cause(thrown);
        return cause instanceof StorageException known
                ? known
                : new StorageException(Kind.UNAVAILABLE, "unexpected error: " + cause, cause);
    }

    /** The result of a commit that may have begun: a failure leaves its outcome open. */
    static CompletionStage<CommitResult> certain(Supplier<CompletionStage<CommitResult>> commit) {
        return CompletableFuture.completedFuture(null)
                .thenCompose(now -> commit.get())
                .exceptionally(failure -> new CommitResult.Uncertain(failure(failure)));
    }

    /** Why a commit that did not succeed did not. */
    static StorageException failure(CommitResult result) {
        if (result instanceof CommitResult.Unavailable unavailable) {
            return unavailable.cause();
        }
        if (result instanceof CommitResult.Uncertain uncertain) {
            return uncertain.cause();
        }
        return new StorageException(
                Kind.REFUSED, "another process changed a record of the placed stores: " + result);
    }
}
