package io.brain.backend.write;

import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;

/** A key that a turn changed: what it held before, and what it holds now. */
final class OwnKey {
    private static final int NONE = -1;

    private final HeadRecord before;
    private HeadRecord now;
    private int first = NONE;
    private int last = NONE;

    /** A key as it is before the turn changes it. */
    OwnKey(HeadRecord before) {
        this.before = before;
        this.now = before;
    }

    /** The newest version before the turn; never null. */
    HeadRecord before() {
        return before;
    }

    /** The newest version, the turn's changes included; never null. */
    HeadRecord now() {
        return now;
    }

    /** The change at {@code place} makes {@code record} the newest one. */
    void changes(int place, HeadRecord record) {
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

    /** True if the turn has not changed the key, or only forgot its tombstone. */
    boolean isUnchanged() {
        return last == NONE;
    }

    /** The KeyValue before the turn; null if there was none. */
    Bytes prevKv() {
        return before.exists() ? before.kv().encoded() : null;
    }
}
