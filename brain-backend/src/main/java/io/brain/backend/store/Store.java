package io.brain.backend.store;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.util.List;

/**
 * A cluster's part of a storage.
 *
 * @param storage the engine
 * @param coder its keys
 * @param revisions its readable revisions
 */
public record Store(KvStorage storage, KeyCoder coder, Revisions revisions) {
    /** A snapshot of the newest readable state, or a later one: see {@link #open(ReadPoint)}. */
    public Snapshot open() {
        return open(revisions.committed());
    }

    /**
     * A snapshot of a state; of that state or a later one if the engine has no timestamps. A
     * snapshot at a timestamp does not wait for a commit in flight.
     */
    public Snapshot open(ReadPoint point) {
        return openAt(storage, point.timestamp());
    }

    /** As {@link #open(ReadPoint)}, for the timestamp of a state. */
    public static Snapshot openAt(KvStorage storage, long timestamp) {
        return readsAtTimestamps(storage) ? storage.snapshotAt(timestamp) : storage.snapshot();
    }

    /**
     * The compaction floor of a snapshot: the oldest revision that it has completely; -1 if it has
     * all. On a shared storage it may be above every revision that this node knows, because another
     * node compacts: what lower revisions need may be deleted already. The only process of an
     * exclusive storage publishes the floor before it deletes anything.
     */
    public long floor(Snapshot snapshot) {
        return isExclusive()
                ? revisions.floor()
                : CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
    }

    /**
     * As {@link #floor(Snapshot)}, for a snapshot that must have a revision. After a switchover of
     * a database, a connection may still reach the former primary, which lacks the last commits. An
     * engine with timestamps finds what was committed before a timestamp.
     *
     * @throws StorageException kind UNAVAILABLE if the snapshot is older
     */
    public long floor(Snapshot snapshot, long revision) {
        if (isExclusive() || readsAtTimestamps()) {
            return floor(snapshot);
        }
        List<Bytes> records = snapshot.get(List.of(coder.compactKey(), coder.fenceKey()));
        Bytes fence = records.get(1);
        if (fence == null || Fence.decode(fence).revision() < revision) {
            throw new StorageException(
                    StorageException.Kind.UNAVAILABLE,
                    "the store that answered lacks revision " + revision);
        }
        return CompactRecord.decode(records.get(0)).floor();
    }

    /** True if older states can be opened. */
    public boolean readsAtTimestamps() {
        return readsAtTimestamps(storage);
    }

    private static boolean readsAtTimestamps(KvStorage storage) {
        return storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }

    /** True if no other process can have the storage open. */
    public boolean isExclusive() {
        return storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN);
    }
}
