package io.brain.transfer.etcd;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * What a snapshot says about itself. It has all batches up to the fence, which is written with each
 * of them, and above the compact revision nothing is removed yet.
 *
 * @param compactRevision the oldest readable revision; -1 if never compacted
 */
public record StoreHead(Fence fence, long compactRevision) {
    /**
     * Reads the head.
     *
     * @throws StorageException kind REFUSED if the store has none, or an unfinished import
     */
    public static StoreHead read(Snapshot snapshot, KeyCoder coder) {
        ImportRecord.requireNone(snapshot, coder);
        Bytes fence = snapshot.get(coder.fenceKey());
        if (fence == null) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "the store is empty, or was not written by Brain");
        }
        Bytes compact = snapshot.get(coder.compactKey());
        return new StoreHead(Fence.decode(fence), CompactRecord.decode(compact).floor());
    }
}
