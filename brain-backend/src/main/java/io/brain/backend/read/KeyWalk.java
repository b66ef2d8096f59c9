package io.brain.backend.read;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;

/**
 * The keys of a range of versions that exist at a revision. A key's versions lie newest first, so
 * the first one that is not too new is the one to show. A few others are stepped over, many are
 * jumped over, so that a key costs the same however many versions it has.
 */
final class KeyWalk implements LiveKeys {
    /** A seek costs about as much as this many steps. */
    private static final int STEPS_MAX = 8;

    /** Enough for a key of one version. */
    private static final int STEPS_MIN = 1;

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final KeyRange range;
    private final long revision;

    /** Opened when it is first needed. */
    private Cursor cursor;

    /** The version under the cursor, unless that is behind the last one. */
    private final VersionKey here = new VersionKey();

    private boolean onRecord;

    /** The version with which the cursor came to the current key, once it has come to one. */
    private final VersionKey first = new VersionKey();

    private boolean onKey;

    /** What is before the value of most keys. */
    private final byte[] beginning = new byte[512];

    /**
     * Steps that are tried before a seek: fewer where keys turned out to have many versions, since
     * the next one often has as many.
     */
    private int steps = STEPS_MAX;

    /**
     * A walk over a part of {@link KeyCoder#versions()}.
     *
     * @param revision not below the compaction floor
     */
    KeyWalk(Snapshot snapshot, KeyCoder coder, KeyRange range, long revision) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.range = range;
        this.revision = revision;
    }

    @Override
    public boolean next() {
        boolean found = cursor == null ? moved(open().next()) : leave();
        while (found && !arrive()) {
            found = leave();
        }
        onKey = found;
        return found;
    }

    /** True if the last step came to a key. */
    boolean isOnKey() {
        return onKey;
    }

    @Override
    public Bytes key() {
        return coder.userKey(first.bytes());
    }

    @Override
    public long modRevision() {
        return here.revision();
    }

    @Override
    public Bytes kv() {
        return VersionRecord.decode(cursor.value()).kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return kvs.append(cursor, VersionRecord.TRAILER);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        int end = cursor.copyValue(beginning, 0) - VersionRecord.TRAILER;
        boolean whole = end <= beginning.length;
        int there = whole ? end : beginning.length;
        int length = KeyValueCodec.bareLength(beginning, 0, there, whole);
        return length >= 0 ? kvs.append(beginning, 0, length) : LiveKeys.super.addBareKv(kvs);
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
    }

    private Cursor open() {
        cursor = snapshot.cursor(range, Cursor.Direction.FORWARD);
        return cursor;
    }

    private boolean moved(boolean found) {
        onRecord = found;
        if (found) {
            here.read(cursor);
        }
        return found;
    }

    private boolean onCurrentKey() {
        return onRecord && first.sameUserKey(here);
    }

    /**
     * Goes on to the version that the key under the cursor has at the revision: true if there is
     * one and it lives.
     */
    private boolean arrive() {
        first.copy(here);
        for (int step = 0; step < steps; step++) {
            if (here.revision() <= revision) {
                return !here.isTombstone();
            }
            moved(cursor.next());
            if (!onCurrentKey()) {
                return false;
            }
        }
        jump(coder.versionsAt(key(), revision));
        return onCurrentKey() && !here.isTombstone();
    }

    /** Goes on to the first version of the next key. */
    private boolean leave() {
        for (int step = 0; step < steps; step++) {
            if (!onCurrentKey()) {
                break;
            }
            moved(cursor.next());
        }
        if (onCurrentKey()) {
            return jump(coder.behind(key()));
        }
        steps = Math.min(2 * steps, STEPS_MAX);
        return onRecord;
    }

    private boolean jump(Bytes target) {
        steps = STEPS_MIN;
        return moved(cursor.seek(target));
    }
}
