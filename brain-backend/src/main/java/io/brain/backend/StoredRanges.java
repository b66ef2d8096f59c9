package io.brain.backend;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.util.List;

/** Where a cluster's keys are in its storage, for those who place them on several stores. */
public final class StoredRanges {
    private final KeyCoder coder;

    /**
     * Ranges of a cluster.
     *
     * @param keyspace name; empty for none
     */
    public StoredRanges(String keyspace) {
        coder = KeyCoder.of(keyspace);
    }

    /** The heads and the history of all keys that begin with {@code prefix}; in this order. */
    public List<KeyRange> of(Bytes prefix) {
        KeySpan span = KeySpan.prefix(prefix);
        return List.of(coder.heads(span), coder.history(span));
    }

    /** The prefix of everything that a keyspace has. */
    public static Bytes keyspace(String name) {
        return KeyCoder.prefix(name);
    }
}
