package io.brain.backend.write;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.revision.Revisions;
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
        if (storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)) {
            return storage.snapshotAt(revisions.committed().timestamp());
        }
        return storage.snapshot();
    }
}
