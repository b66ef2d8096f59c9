package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;

/**
 * The keys of a span that exist at a revision, by their revision records: these are small and lie
 * together, so that counting touches no values. Looks for a version only where the key was changed
 * after the revision. Used by one thread; must be closed.
 */
final class RecordedKeys implements AutoCloseable {
    /** Steps that are tried before a seek. */
    private static final int STEPS = 4;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final KeySpan span;
    private final long revision;
    private final Cursor records;
    private final byte[] record = new byte[RevisionRecord.LENGTH];

    /** Opened when it is first needed. */
    private Cursor versions;

    private boolean onVersion;

    RecordedKeys(Snapshot snapshot, KeyCoder coder, KeySpan span, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.span = span;
        this.revision = revision;
        this.records = snapshot.cursor(coder.revisionRecords(span), Cursor.Direction.FORWARD);
    }

    /** Steps to the next key; false if there is none. */
    boolean next() {
        while (records.next()) {
            if (lives()) {
                return true;
            }
        }
        return false;
    }

    /** The user key; only after a step that was true. */
    Bytes key() {
        return coder.recordedKey(records.key());
    }

    private boolean lives() {
        boolean whole = records.copyValue(record, 0) == RevisionRecord.LENGTH;
        RevisionRecord newest = RevisionRecord.decode(whole ? Bytes.wrap(record) : records.value());
        return newest.revision() <= revision ? !newest.tombstone() : livedThen();
    }

    private boolean livedThen() {
        if (versions == null) {
            versions = snapshot.cursor(coder.versions(span), Cursor.Direction.FORWARD);
            onVersion = versions.next();
        }
        Bytes from = coder.versionsAt(key(), revision);
        goTo(from);
        return onVersion
                && KeyCoder.sameUserKey(versions.key(), from)
                && !KeyCoder.isTombstone(versions.key());
    }

    /** Goes on to the first version at or behind {@code target}. */
    private void goTo(Bytes target) {
        for (int step = 0; isBefore(target); step++) {
            onVersion = step < STEPS ? versions.next() : versions.seek(target);
        }
    }

    private boolean isBefore(Bytes target) {
        return onVersion && versions.key().compareTo(target) < 0;
    }

    @Override
    public void close() {
        if (versions != null) {
            versions.close();
        }
        records.close();
    }
}
