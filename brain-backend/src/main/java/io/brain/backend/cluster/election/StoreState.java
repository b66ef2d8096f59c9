package io.brain.backend.cluster.election;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.util.List;

/**
 * Where a store stood when it was looked at.
 *
 * @param stored the fence as it is stored; null if the store is fresh
 * @param fence what it says; of a fresh store: nobody's, at revision 1
 * @param compact how far history is gone
 * @param identity the cluster's and the member's ids; null if none were chosen yet
 * @param point what can be shown: while somebody leads, no more than the leader is known to show;
 *     perhaps below the floor
 */
public record StoreState(
        Bytes stored,
        Fence fence,
        CompactRecord compact,
        IdentityRecord identity,
        ReadPoint point) {
    /** A store into which nobody has written. Its first write makes revision 2, as in etcd. */
    private static final Fence FRESH = new Fence(0, -1, 1, 0);

    /**
     * Looks at the store.
     *
     * @throws StorageException also of kind REFUSED: there is data but no fence
     */
    public static StoreState read(KvStorage storage, KeyCoder coder) {
        long timestamp = storage.timestamp();
        try (Snapshot snapshot = open(storage, timestamp)) {
            Bytes stored = snapshot.get(coder.fenceKey());
            if (stored == null) {
                refuseData(snapshot, coder);
            }
            Fence fence = stored == null ? FRESH : Fence.decode(stored);
            CompactRecord compact = CompactRecord.decode(snapshot.get(coder.compactKey()));
            Bytes leader = snapshot.get(coder.leaderKey());
            long shown =
                    leader == null
                            ? fence.revision()
                            : LeaderRecord.decode(leader).shown(fence.revision());
            Bytes identity = snapshot.get(coder.identityKey());
            return new StoreState(
                    stored,
                    fence,
                    compact,
                    identity == null ? null : IdentityRecord.decode(identity),
                    new ReadPoint(shown, timestamp));
        }
    }

    /** The same state under another fence. */
    StoreState with(Fence next) {
        return new StoreState(next.encode(), next, compact, identity, point);
    }

    /** The same state, taken over by a batch of that timestamp: all of it can be shown. */
    StoreState at(long timestamp) {
        return new StoreState(
                stored, fence, compact, identity, new ReadPoint(fence.revision(), timestamp));
    }

    private static Snapshot open(KvStorage storage, long timestamp) {
        return storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP)
                ? storage.snapshotAt(timestamp)
                : storage.snapshot();
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
