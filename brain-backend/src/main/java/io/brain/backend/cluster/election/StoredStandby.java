package io.brain.backend.cluster.election;

import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;

/** What a store says of itself as a standby, to each server that uses it. Blocks. Thread-safe. */
public final class StoredStandby {
    private final KvStorage storage;
    private final KeyCoder coder;

    /**
     * Creates an instance; the caller closes the storage.
     *
     * @param keyspace name; empty for the keyspace without a name
     */
    public StoredStandby(KvStorage storage, String keyspace) {
        this.storage = storage;
        this.coder = KeyCoder.of(keyspace);
    }

    /** The id of the cluster that the store follows; 0: none. */
    public long source() {
        try (Snapshot snapshot = storage.snapshot()) {
            ImportRecord copy = ImportRecord.decode(snapshot.get(coder.importKey()));
            return copy == null ? 0 : copy.standbyOf();
        }
    }

    /** True if the store has no data, or an unfinished copy. */
    public boolean lacksCopy() {
        try (Snapshot snapshot = storage.snapshot()) {
            ImportRecord copy = ImportRecord.decode(snapshot.get(coder.importKey()));
            return copy == null ? snapshot.get(coder.identityKey()) == null : !copy.isStandby();
        }
    }

    /** A random number of the store, which has a cluster. */
    public int id() {
        try (Snapshot snapshot = storage.snapshot()) {
            IdentityRecord identity = IdentityRecord.decode(snapshot.get(coder.identityKey()));
            return Long.hashCode(identity.memberId());
        }
    }
}
