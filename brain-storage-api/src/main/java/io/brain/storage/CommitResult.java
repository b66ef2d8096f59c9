package io.brain.storage;

import java.util.Optional;

/** How a commit ended: exactly one of four ways. */
public sealed interface CommitResult {
    /**
     * The whole batch is in the store.
     *
     * @param timestamp the engine's time of the commit: later commits have greater ones
     */
    record Committed(long timestamp) implements CommitResult {}

    /**
     * A guard did not hold; nothing of the batch is, or ever will be, in the store.
     *
     * @param key the key of (one of) the failed guards
     * @param actual what is stored there; empty if the key is absent
     */
    record Conflict(Bytes key, Optional<Bytes> actual) implements CommitResult {}

    /**
     * The batch may be in the store, now or later. Only {@link KvStorage#resolve} may tell; until
     * it has, nothing that depends on the answer may be written.
     */
    record Uncertain(StorageException cause) implements CommitResult {}

    /**
     * Nothing of the batch is, or ever will be, in the store. The cause's kind says whether to
     * retry.
     */
    record Unavailable(StorageException cause) implements CommitResult {}
}
