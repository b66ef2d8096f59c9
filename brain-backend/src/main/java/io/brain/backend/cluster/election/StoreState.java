package io.brain.backend.cluster.election;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.List;

/**
 * The state of a store at one snapshot.
 *
 * @param stored the encoded fence; null if the store is empty
 * @param fence of an empty store: epoch 0, revision 1
 * @param compact progress of compaction
 * @param identity the ids of the cluster and its member; null before they are chosen
 * @param point the newest state that may be shown: while a leader exists, not above the revision in
 *     its record; may be below the compact revision
 */
public record StoreState(
        Bytes stored,
        Fence fence,
        CompactRecord compact,
        IdentityRecord identity,
        ReadPoint point) {
    /** The fence of an empty store, whose first write has revision 2, as in etcd. */
    private static final Fence FRESH = new Fence(0, -1, 1, 0);

    /**
     * Reads the state; blocks.
     *
     * @throws StorageException also of kind REFUSED: an unfinished import, data without a fence
     */
    public static StoreState read(KvStorage storage, KeyCoder coder) {
        long timestamp = storage.timestamp();
        try (Snapshot snapshot = Store.openAt(storage, timestamp)) {
            List<Bytes> records =
                    snapshot.get(
                            List.of(
                                    coder.importKey(),
                                    coder.fenceKey(),
                                    coder.compactKey(),
                                    coder.leaderKey(),
                                    coder.identityKey()));
            ImportRecord.requireNone(records.get(0));
            Bytes stored = records.get(1);
            if (stored == null) {
                refuseData(snapshot, coder);
            }
            Fence fence = stored == null ? FRESH : Fence.decode(stored);
            CompactRecord compact = CompactRecord.decode(records.get(2));
            Bytes leader = records.get(3);
            long shown =
                    leader == null
                            ? fence.revision()
                            : LeaderRecord.decode(leader).shown(fence.revision());
            Bytes identity = records.get(4);
            return new StoreState(
                    stored,
                    fence,
                    compact,
                    identity == null ? null : IdentityRecord.decode(identity),
                    new ReadPoint(shown, timestamp));
        }
    }

    private static void refuseData(Snapshot snapshot, KeyCoder coder) {
        for (KeyRange range : List.of(coder.dataRange(), coder.log(), coder.leases())) {
            try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
                if (cursor.next()) {
                    throw new StorageException(
                            StorageException.Kind.REFUSED,
                            "the store holds data but no fence: it is damaged, or was not written"
                                    + " by Brain");
                }
            }
        }
    }
}
