package io.brain.server.lock;

import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Relation;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.List;

/**
 * A contender's key. Its changes succeed only while it exists unchanged since its creation.
 *
 * @param createRevision grows with each owner of a lock: a fencing token
 */
record OwnedKey(Bytes key, long createRevision) {
    /** Changes its value. */
    Txn put(Bytes value, long lease) {
        return ifExists(new Op.Put(key, value, lease, false, false, false));
    }

    /** Deletes it. */
    Txn delete() {
        return ifExists(new Op.Delete(KeySpan.of(key), false));
    }

    private Txn ifExists(Op op) {
        return new Txn(List.of(createdAt(key, createRevision)), List.of(op), List.of());
    }

    /** Holds if a key was created at a revision; 0: if it does not exist. */
    static Compare createdAt(Bytes key, long revision) {
        return new Compare(KeySpan.of(key), Target.CREATE, Relation.EQUAL, revision, Bytes.EMPTY);
    }
}
