package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.key.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/** One key, if it exists at a revision: point gets instead of a walk, except for an old version. */
final class PointRead implements LiveKeys {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Bytes key;
    private final long revision;
    private boolean done;
    private long modRevision;

    /** The version record, if it was fetched already. */
    private Bytes stored;

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
        Bytes newest = snapshot.get(coder.revisionKey(key));
        if (newest == null) {
            return false;
        }
        RevisionRecord record = RevisionRecord.decode(newest);
        if (record.revision() <= revision) {
            modRevision = record.revision();
            return !record.tombstone();
        }
        return findOlder();
    }

    @Override
    public Bytes key() {
        return key;
    }

    @Override
    public long modRevision() {
        return modRevision;
    }

    @Override
    public Bytes kv() {
        if (stored == null) {
            stored = snapshot.get(coder.versionKey(key, modRevision));
            if (stored == null) {
                throw new StorageException(
                        StorageException.Kind.CORRUPT,
                        "the version of " + key + " at revision " + modRevision + " is missing");
            }
        }
        return VersionRecord.decode(stored).kv();
    }

    @Override
    public void close() {}

    private boolean findOlder() {
        Bytes from = coder.versionsAt(key, revision);
        KeyRange range = new KeyRange(from, coder.behind(key));
        try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
            if (!cursor.next() || KeyCoder.isTombstone(cursor.key())) {
                return false;
            }
            modRevision = KeyCoder.revisionOf(cursor.key());
            stored = cursor.value();
            return true;
        }
    }
}
