package io.brain.storage.rocksdb;

import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.Snapshot;

/**
 * A RocksDB snapshot, shared by all readers between two commits, because opening one takes the
 * database mutex.
 */
final class Pin {
    private final RocksDB db;
    private final Snapshot snapshot;
    private final ReadOptions options;
    private final RefCount users = new RefCount(this::free);

    /** Pins the newest state, for one user. */
    Pin(RocksDB db) {
        this.db = db;
        this.snapshot = db.getSnapshot();
        this.options = new ReadOptions().setSnapshot(snapshot);
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /** For point reads; must not be modified. */
    ReadOptions options() {
        return options;
    }

    RefCount users() {
        return users;
    }

    private void free() {
        options.close();
        db.releaseSnapshot(snapshot);
        snapshot.close();
    }
}
