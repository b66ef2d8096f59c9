package io.brain.backend.read;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;

/** Opens engine snapshots of read points, and knows how far back they reach. Thread-safe. */
final class Snapshots {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Revisions revisions;
    private final boolean opensReadPoints;
    private final boolean knowsFloor;

    Snapshots(KvStorage storage, KeyCoder coder, Revisions revisions) {
        this.storage = storage;
        this.coder = coder;
        this.revisions = revisions;
        this.opensReadPoints = storage.traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
        this.knowsFloor = storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN);
    }

    /**
     * An open snapshot.
     *
     * @param floor the oldest revision that it has whole, or one above it; -1 if it has all
     */
    record Opened(Snapshot snapshot, long floor) {}

    /** A snapshot of a read point, which an engine with timestamps has whole for ever. */
    Snapshot open(ReadPoint point) {
        return opensReadPoints ? storage.snapshotAt(point.timestamp()) : storage.snapshot();
    }

    /**
     * A snapshot of a read point.
     *
     * @throws FloorPassedException if a compaction has passed the point
     */
    Opened openAboveFloor(ReadPoint point) {
        Snapshot snapshot = open(point);
        try {
            // A process that is the only one to write has raised the floor in its memory before it
            // deletes anything.
            long floor =
                    knowsFloor
                            ? revisions.floor()
                            : CompactRecord.decode(snapshot.get(coder.compactKey())).floor();
            if (floor > point.revision()) {
                ReadPoint instead = instead(point, floor);
                if (instead != null) {
                    throw new FloorPassedException(instead);
                }
            }
            return new Opened(snapshot, floor);
        } catch (RuntimeException e) {
            snapshot.close();
            throw e;
        }
    }

    /**
     * What to read in place of a point below the floor. A snapshot at a timestamp has the floor
     * whole and nothing below it. A snapshot of the newest state may have a floor that is not
     * published: nothing is deleted for it yet, and null says so.
     */
    private ReadPoint instead(ReadPoint point, long floor) {
        if (opensReadPoints) {
            return new ReadPoint(floor, point.timestamp());
        }
        ReadPoint newest = revisions.committed();
        return newest.revision() < floor ? null : newest;
    }

    /** A compaction has passed the read point: another is to be read. */
    static final class FloorPassedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient ReadPoint instead;

        /** A signal, so it carries no stack trace. */
        FloorPassedException(ReadPoint instead) {
            super("a compaction has passed the read point", null, false, false);
            this.instead = instead;
        }

        ReadPoint instead() {
            return instead;
        }
    }
}
