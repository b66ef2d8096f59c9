package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * The keys of an internal range that exist at a revision. Goes from revision record to revision
 * record; a few versions on the way are stepped over, many are jumped over, so that a key costs the
 * same however many versions it has.
 */
final class KeyWalk implements LiveKeys {
    /** A seek costs about as much as this many steps. */
    private static final int STEPS_MAX = 8;

    /** Enough for a key of one version. */
    private static final int STEPS_MIN = 2;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final KeyRange range;
    private final long revision;

    /** Opened when it is first needed. */
    private Cursor cursor;

    /** Opened when a key with many versions was changed after the revision. */
    private Cursor reverse;

    /** The record under the cursor; null behind the last one. */
    private Bytes here;

    /** The record with which the cursor came to the current key; null before the first. */
    private Bytes first;

    /** The current key's newest revision; 0 if its revision record is gone. */
    private long newest;

    private boolean onKey;

    private long modRevision;

    /** The version record to show, if it is not the newest. */
    private Bytes older;

    private boolean olderUnderReverse;

    /**
     * Steps that are tried before a seek: fewer where keys turned out to have many versions, since
     * the next one often has as many.
     */
    private int steps = STEPS_MAX;

    KeyWalk(Snapshot snapshot, KeyCoder coder, KeyRange range, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.range = range;
        this.revision = revision;
    }

    @Override
    public boolean next() {
        return arriveFrom(first == null ? moved(cursor().next()) : leave());
    }

    /** Goes to the first key that is at or behind {@code key}; false if there is none. */
    boolean seek(Bytes key) {
        return arriveFrom(moved(cursor().seek(coder.revisionKey(key))));
    }

    /** True if the key that was come to is at or behind the one with this revision record. */
    boolean isAtOrBehind(Bytes revisionKey) {
        return first.compareTo(revisionKey) >= 0;
    }

    /** True if the last move came to a key. */
    boolean isOnKey() {
        return onKey;
    }

    private boolean arriveFrom(boolean found) {
        onKey = found;
        while (onKey && !arrive()) {
            onKey = leave();
        }
        return onKey;
    }

    @Override
    public Bytes key() {
        return coder.userKey(first);
    }

    @Override
    public long modRevision() {
        return modRevision;
    }

    @Override
    public Bytes kv() {
        Bytes stored;
        if (older == null) {
            stored = newestVersion();
        } else if (olderUnderReverse) {
            stored = reverse.value();
        } else {
            stored = snapshot.get(older);
        }
        return VersionRecord.decode(stored).kv();
    }

    @Override
    public void close() {
        if (reverse != null) {
            reverse.close();
        }
        if (cursor != null) {
            cursor.close();
        }
    }

    private Cursor cursor() {
        if (cursor == null) {
            cursor = snapshot.cursor(range, Cursor.Direction.FORWARD);
        }
        return cursor;
    }

    private boolean moved(boolean found) {
        here = found ? cursor.key() : null;
        return found;
    }

    private boolean onCurrentKey() {
        return here != null && coder.sameUserKey(first, here);
    }

    /** Looks at the key that the cursor has come to: true if it exists at the revision. */
    private boolean arrive() {
        first = here;
        older = null;
        if (coder.revisionOf(first) != 0) {
            // Compaction has forgotten the key, and is about to remove its last version.
            newest = 0;
            return false;
        }
        RevisionRecord record = RevisionRecord.decode(cursor.value());
        newest = record.revision();
        if (newest <= revision) {
            modRevision = newest;
            return !record.tombstone();
        }
        return findOlder();
    }

    /** Finds the last version at or below the revision: true if there is one and it lives. */
    private boolean findOlder() {
        int length = 0;
        for (int step = 0; step < steps; step++) {
            moved(cursor.next());
            if (!onCurrentKey() || coder.revisionOf(here) > revision) {
                stepped();
                olderUnderReverse = false;
                return older != null && lives(older, length);
            }
            older = here;
            length = cursor.valueLength();
        }
        if (reverse == null) {
            reverse = snapshot.cursor(range, Cursor.Direction.REVERSE);
        }
        steps = STEPS_MIN;
        if (!reverse.seek(coder.versionKey(coder.userKey(first), revision))) {
            throw missing();
        }
        older = reverse.key();
        olderUnderReverse = true;
        return lives(older, reverse.valueLength());
    }

    /**
     * Tells a live version from a tombstone without fetching it: a tombstone stores the key alone,
     * a live one at least its revisions besides.
     */
    private boolean lives(Bytes version, int length) {
        modRevision = coder.revisionOf(version);
        int key = coder.userKey(version).length();
        int tombstone =
                VersionRecord.HEADER + (key == 0 ? 0 : 1 + ByteWriter.varintLength(key) + key);
        return length > tombstone;
    }

    /** Goes on to the version that the revision record names. */
    private Bytes newestVersion() {
        for (int step = 0; step < steps; step++) {
            if (coder.revisionOf(here) == newest) {
                stepped();
                return cursor.value();
            }
            moved(cursor.next());
            if (!onCurrentKey()) {
                throw missing();
            }
        }
        if (coder.revisionOf(here) != newest) {
            Bytes version = coder.versionKey(coder.userKey(first), newest);
            if (!jump(version) || !here.equals(version)) {
                throw missing();
            }
        }
        return cursor.value();
    }

    /** Goes on to the first record of the next key. */
    private boolean leave() {
        for (int step = 0; step < steps; step++) {
            if (!onCurrentKey()) {
                stepped();
                return here != null;
            }
            boolean last = coder.revisionOf(here) == newest;
            moved(cursor.next());
            if (last) {
                return here != null;
            }
        }
        return onCurrentKey() ? jump(coder.behind(coder.userKey(first))) : here != null;
    }

    private boolean jump(Bytes target) {
        steps = STEPS_MIN;
        return moved(cursor.seek(target));
    }

    private void stepped() {
        steps = Math.min(2 * steps, STEPS_MAX);
    }

    private StorageException missing() {
        return new StorageException(
                StorageException.Kind.CORRUPT,
                "a version of " + coder.userKey(first) + " is missing at revision " + revision);
    }
}
