package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;

/** One key, if it exists at a revision: its head, or else a seek in its history. */
final class PointRead implements LiveKeys {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Bytes key;
    private final long revision;
    private boolean done;
    private VersionRecord version;

    PointRead(Snapshot snapshot, KeyCoder coder, Bytes key, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.key = key;
        this.revision = revision;
    }

    @Override
    public boolean next() {
        if (done) {
            return false;
        }
        done = true;
        Bytes head = snapshot.get(coder.headKey(key));
        if (head == null) {
            return false;
        }
        version = VersionRecord.decode(head);
        if (version.revision() > revision) {
            version = replaced();
        }
        return version != null && !version.isTombstone();
    }

    @Override
    public Bytes key() {
        return key;
    }

    @Override
    public long modRevision() {
        return version.revision();
    }

    @Override
    public Bytes kv() {
        return version.kv();
    }

    @Override
    public void close() {}

    /** The newest replaced version at the revision; null if there is none. */
    private VersionRecord replaced() {
        try (Cursor cursor =
                snapshot.cursor(coder.history(KeySpan.of(key)), Cursor.Direction.FORWARD)) {
            boolean found = cursor.seek(coder.historyKey(key, revision));
            return found ? VersionRecord.decode(cursor.value()) : null;
        }
    }
}
