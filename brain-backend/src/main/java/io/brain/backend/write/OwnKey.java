package io.brain.backend.write;

import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;

/** A key that a turn changed: what it held before, and what it holds now. */
final class OwnKey {
    private static final int NONE = -1;

    private final long replacedRevision;
    private final boolean replacedTombstone;
    private final int replacedBytes;
    private Bytes prevKv;

    /** Null until the first change, if the record was read ahead and its bytes were not kept. */
    private TipRecord now;

    private long replacedLease;
    private int first = NONE;
    private int last = NONE;

    /** A key as it is before the turn changes it. */
    OwnKey(Bytes key, TipRecord before) {
        now = before;
        replacedRevision = before.revision();
        replacedTombstone = before.isTombstone();
        prevKv = before.exists() ? before.kv().encoded() : null;
        if (replacedRevision == 0) {
            replacedBytes = 0;
        } else {
            int kv = before.exists() ? prevKv.length() : KeyValueCodec.tombstoneLength(key);
            replacedBytes = VersionRecord.TRAILER + kv;
        }
    }

    /** A live key as it was found ahead of the turn. */
    OwnKey(SpanWalk.Found before) {
        replacedRevision = before.revision();
        replacedTombstone = false;
        replacedBytes = VersionRecord.TRAILER + before.kvLength();
        replacedLease = before.lease();
        if (before.kv() != null) {
            now = new TipRecord(before.revision(), before.kv());
            prevKv = before.kv().encoded();
        }
    }

    /** True if the key existed before the turn. */
    boolean existedBefore() {
        return replacedRevision != 0 && !replacedTombstone;
    }

    /** True if the key exists now. */
    boolean exists() {
        return now == null || now.exists();
    }

    /** The lease that an existing key is attached to now; 0: none. */
    long lease() {
        return now == null ? replacedLease : now.kv().lease();
    }

    /** The change at {@code place} makes {@code record} the newest one. */
    void changes(int place, TipRecord record) {
        if (first == NONE) {
            first = place;
        }
        last = place;
        now = record;
    }

    /** True if the change at {@code place} was the key's first one. */
    boolean isFirst(int place) {
        return first == place;
    }

    /** True if the change at {@code place} was the key's last one, so far. */
    boolean isLast(int place) {
        return last == place;
    }

    /** True if the turn did not change the key, but forgot its tombstone. */
    boolean isDropped() {
        return last == NONE;
    }

    /** The newest record, the turn's changes included. */
    TipRecord now() {
        return now;
    }

    /** The newest revision before the turn at which the key has a record; 0 if none. */
    long replacedRevision() {
        return replacedRevision;
    }

    /** True if that record is a tombstone. */
    boolean replacedTombstone() {
        return replacedTombstone;
    }

    /** Encoded length of that record. */
    int replacedBytes() {
        return replacedBytes;
    }

    /** The KeyValue before the turn; null if there was none, or it was let go. */
    Bytes prevKv() {
        return prevKv;
    }

    /** True if there was a KeyValue before the turn, and its bytes are not here. */
    boolean lacksPrevKv() {
        return existedBefore() && prevKv == null;
    }

    /** Lets the replaced bytes go: the turn has become too heavy to keep its events. */
    void forgetPrevKv() {
        prevKv = null;
    }
}
