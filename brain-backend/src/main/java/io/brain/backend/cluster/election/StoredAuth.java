package io.brain.backend.cluster.election;

import io.brain.backend.auth.AuthState;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;

/** Reads the stored state of authentication. Blocks. */
public final class StoredAuth {
    private StoredAuth() {}

    /** The newest stored state; {@code known} if it is the same. */
    public static AuthState read(Store store, AuthState known) {
        try (Snapshot snapshot = store.storage().snapshot()) {
            return read(snapshot, snapshot.get(store.coder().authKey()), store.coder(), known);
        }
    }

    /**
     * The state of a snapshot; {@code known} if it is the same.
     *
     * @param stored the record of the authentication; null: none
     */
    static AuthState read(Snapshot snapshot, Bytes stored, KeyCoder coder, AuthState known) {
        boolean same =
                stored == null
                        ? known.version() == AuthState.INITIAL.version()
                        : AuthRecord.decode(stored).revision() == known.revision()
                                && AuthRecord.decode(stored).enabled() == known.enabled();
        return same ? known : AuthState.read(coder, snapshot);
    }
}
