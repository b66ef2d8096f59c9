package io.brain.transfer.load;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Commits batches one after the other, while the caller prepares the next. Repeats what fails for a
 * reason that may pass.
 */
final class Commits {
    private final KvStorage storage;
    private final Duration pause;
    private final int attemptsMax;
    private WriteBatch batch;
    private CompletableFuture<CommitResult> result;

    /**
     * Commits to a storage.
     *
     * @param pause between attempts
     * @param attemptsMax attempts to commit or to resolve a batch
     */
    Commits(KvStorage storage, Duration pause, int attemptsMax) {
        this.storage = storage;
        this.pause = pause;
        this.attemptsMax = attemptsMax;
    }

    /** Sends a batch whose primary can be resolved, once the one before is committed. */
    void send(WriteBatch next) {
        await();
        batch = next;
        result = storage.commit(next).toCompletableFuture();
    }

    /**
     * Waits until the last batch is committed.
     *
     * @throws StorageException if it cannot be; kind REFUSED if another process changed the store
     */
    void await() {
        for (int attempt = 1; batch != null; attempt++) {
            CommitResult end = result.join();
            if (end instanceof CommitResult.Committed) {
                batch = null;
            } else if (end instanceof CommitResult.Uncertain uncertain) {
                pauseAfter(uncertain.cause(), attempt);
                result = storage.resolve(batch).toCompletableFuture();
            } else if (end instanceof CommitResult.Unavailable unavailable) {
                pauseAfter(unavailable.cause(), attempt);
                result = storage.commit(batch).toCompletableFuture();
            } else {
                throw new StorageException(
                        StorageException.Kind.REFUSED, "another process writes to the store");
            }
        }
    }

    private void pauseAfter(StorageException cause, int attempt) {
        if (cause.kind() != StorageException.Kind.UNAVAILABLE || attempt == attemptsMax) {
            throw cause;
        }
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StorageException(StorageException.Kind.CLOSED, "interrupted");
        }
    }
}
