package io.brain.storage;

/** What an engine can do beyond the common contract; see {@link KvStorage#traits}. */
public enum StorageTrait {
    /** What was committed (synced) is there after the process ends, however it ends. */
    SURVIVES_RESTART,
    /** One process at a time can have the store open, so its only candidate may lead at once. */
    EXCLUSIVE_OPEN,
    /**
     * {@link KvStorage#snapshotAt} opens the state as of a commit's timestamp, without waiting for
     * commits in flight. Without it only the newest state can be opened.
     */
    SNAPSHOT_AT_TIMESTAMP,
    /**
     * A miss of {@link Snapshot#get} costs a network round trip: worth batching and prefetching.
     */
    REMOTE
}
