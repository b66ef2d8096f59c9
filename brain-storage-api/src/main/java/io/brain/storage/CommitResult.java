package io.brain.storage;

import java.util.Optional;

/** Result of a commit: exactly one of four outcomes. */
public sealed interface CommitResult {
    /**
     * The whole batch is stored.
     *
     * @param timestamp engine timestamp of the commit, or later if it was resolved; later commits
     *     have greater ones
     */
    record Committed(long timestamp) implements CommitResult {}

    /**
     * A guard did not hold; nothing of the batch is or ever will be stored.
     *
     * @param key key of one of the failed guards
     * @param actual its stored value; empty if the key is absent
     */
    record Conflict(Bytes key, Optional<Bytes> actual) implements CommitResult {}

    /**
     * The batch may be stored, now or later. {@link KvStorage#resolve} determines the outcome;
     * until then nothing that depends on it may be written.
     */
    record Uncertain(StorageException cause) implements CommitResult {}

    /**
     * Nothing of the batch is or ever will be stored. The kind of the cause determines whether to
     * retry.
     */
    record Unavailable(StorageException cause) implements CommitResult {}
}
