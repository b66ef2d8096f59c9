package io.brain.backend.store;

import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;

/**
 * The stored state as the writer sees it.
 *
 * @param storage the engine
 * @param coder where things are in it
 * @param revisions what of it is published
 */
public record Store(KvStorage storage, KeyCoder coder, Revisions revisions) {
    /**
     * A snapshot that holds at least everything published; where the engine can, exactly that,
     * because nothing there waits for a commit in flight.
     */
    public Snapshot open() {
        return open(revisions.committed());
    }

    /** A snapshot that holds at least a state; where the engine can, exactly that. */
    public Snapshot open(ReadPoint point) {
        return readsAtTimestamps() ? storage.snapshotAt(point.timestamp()) : storage.snapshot();
    }

    /** True if a state can be opened that is not the newest. */
    public boolean readsAtTimestamps() {
        return storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }
}
