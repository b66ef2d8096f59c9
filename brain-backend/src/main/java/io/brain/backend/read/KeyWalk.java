package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.ByteWriter;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
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

    /** The record under the cursor, unless that is behind the last one. */
    private final RecordKey here = new RecordKey();

    private boolean onRecord;

    /** The record with which the cursor came to the current key, once it has come to one. */
    private final RecordKey first = new RecordKey();

    private boolean started;

    /** What is before the value of most keys. */
    private final byte[] beginning = new byte[512];

    private final byte[] revisionRecord = new byte[RevisionRecord.LENGTH];

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
        return arriveFrom(started ? leave() : moved(cursor().next()));
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
        return userKey();
    }

    @Override
    public long modRevision() {
        return modRevision;
    }

    @Override
    public Bytes kv() {
        Cursor version = version();
        Bytes stored = version == null ? snapshot.get(older) : version.value();
        return VersionRecord.decode(stored).kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        Cursor version = version();
        if (version == null) {
            return kvs.append(VersionRecord.decode(snapshot.get(older)).kv());
        }
        return kvs.append(version, VersionRecord.HEADER);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        Cursor version = version();
        if (version != null) {
            int stored = version.copyValue(beginning, 0);
            boolean whole = stored <= beginning.length;
            int there = whole ? stored : beginning.length;
            int length = KeyValueCodec.bareLength(beginning, VersionRecord.HEADER, there, whole);
            if (length >= 0) {
                return kvs.append(beginning, VersionRecord.HEADER, length);
            }
        }
        return LiveKeys.super.addBareKv(kvs);
    }

    /** The cursor that is on the version to show; null if none is. */
    private Cursor version() {
        if (older != null) {
            return olderUnderReverse ? reverse : null;
        }
        toNewestVersion();
        return cursor;
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
        onRecord = found;
        if (found) {
            here.read(cursor);
        }
        return found;
    }

    private Bytes userKey() {
        return coder.userKey(first.bytes());
    }

    private boolean onCurrentKey() {
        return onRecord && first.sameUserKey(here);
    }

    /** Looks at the key that the cursor has come to: true if it exists at the revision. */
    private boolean arrive() {
        started = true;
        first.copy(here);
        older = null;
        if (first.revision() != 0) {
            // Compaction has forgotten the key, and is about to remove its last version.
            newest = 0;
            return false;
        }
        RevisionRecord record = readRevisionRecord();
        newest = record.revision();
        if (newest <= revision) {
            modRevision = newest;
            return !record.tombstone();
        }
        return findOlder();
    }

    private RevisionRecord readRevisionRecord() {
        boolean whole = cursor.copyValue(revisionRecord, 0) == RevisionRecord.LENGTH;
        return RevisionRecord.decode(whole ? Bytes.wrap(revisionRecord) : cursor.value());
    }

    /** Finds the last version at or below the revision: true if there is one and it lives. */
    private boolean findOlder() {
        int length = 0;
        for (int step = 0; step < steps; step++) {
            moved(cursor.next());
            if (!onCurrentKey() || here.revision() > revision) {
                stepped();
                olderUnderReverse = false;
                return older != null && lives(older, length);
            }
            older = here.bytes();
            length = cursor.valueLength();
        }
        if (reverse == null) {
            reverse = snapshot.cursor(range, Cursor.Direction.REVERSE);
        }
        steps = STEPS_MIN;
        if (!reverse.seek(coder.versionKey(userKey(), revision))) {
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
    private void toNewestVersion() {
        for (int step = 0; step < steps; step++) {
            if (here.revision() == newest) {
                stepped();
                return;
            }
            moved(cursor.next());
            if (!onCurrentKey()) {
                throw missing();
            }
        }
        if (here.revision() != newest) {
            Bytes version = coder.versionKey(userKey(), newest);
            if (!jump(version) || here.compareTo(version) != 0) {
                throw missing();
            }
        }
    }

    /** Goes on to the first record of the next key. */
    private boolean leave() {
        for (int step = 0; step < steps; step++) {
            if (!onCurrentKey()) {
                stepped();
                return onRecord;
            }
            boolean last = here.revision() == newest;
            moved(cursor.next());
            if (last) {
                return onRecord;
            }
        }
        return onCurrentKey() ? jump(coder.behind(userKey())) : onRecord;
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
                "a version of " + userKey() + " is missing at revision " + revision);
    }
}
