package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;

/** One key, if it exists at a revision: from the cache, its head, or else its history. */
final class PointRead implements KeyIterator {
    private final ReadView view;
    private final Bytes key;
    private final long revision;
    private boolean done;
    private Bytes kv;

    PointRead(ReadView view, Bytes key, long revision) {
        this.view = view;
        this.key = key;
        this.revision = revision;
    }

    @Override
    public boolean next() {
        if (done) {
            return false;
        }
        done = true;
        kv = view.cache().find(key, revision);
        if (kv == null) {
            kv = stored();
        }
        return !kv.isEmpty();
    }

    @Override
    public Bytes key() {
        return key;
    }

    @Override
    public long modRevision() {
        return KeyValue.decode(kv).modRevision();
    }

    @Override
    public Bytes kv() {
        return kv;
    }

    @Override
    public void close() {}

    /** The encoded KeyValue as the engine has it; empty if the key does not exist. */
    private Bytes stored() {
        Bytes head = view.snapshot().get(view.coder().headKey(key));
        if (head == null) {
            view.cache().learn(key, null, revision);
            return Bytes.EMPTY;
        }
        VersionRecord newest = VersionRecord.decode(head);
        if (newest.revision() > revision) {
            return replaced();
        }
        view.cache().learn(key, newest.isTombstone() ? null : newest.kv(), revision);
        return newest.kv();
    }

    /** The newest replaced version at the revision; empty if there is none, or a tombstone. */
    private Bytes replaced() {
        try (Cursor cursor =
                view.snapshot()
                        .cursor(view.coder().history(KeySpan.of(key)), Cursor.Direction.FORWARD)) {
            boolean found = cursor.seek(view.coder().historyKey(key, revision));
            return found ? VersionRecord.decode(cursor.value()).kv() : Bytes.EMPTY;
        }
    }
}
