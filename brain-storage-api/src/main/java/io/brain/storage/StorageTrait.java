package io.brain.storage;

/** Capabilities beyond the common contract; see {@link KvStorage#traits}. */
public enum StorageTrait {
    /** Synced commits survive the end of the process, including a crash. */
    SURVIVES_RESTART,
    /** One process at a time can have the store open, so its only candidate may lead at once. */
    EXCLUSIVE_OPEN,
    /**
     * {@link KvStorage#snapshotAt} opens the state at a commit's timestamp, without waiting for
     * commits in flight. Without it only the newest state can be opened.
     */
    SNAPSHOT_AT_TIMESTAMP,
    /** A read costs a network round trip: callers batch and prefetch. */
    REMOTE
}
