package io.brain.backend.write;

import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;

/** A key that a proposal changed: its head before the proposal, and now. */
final class ChangedKey {
    private static final int NONE = -1;

    private final Bytes key;
    private final HeadRecord before;
    private HeadRecord now;

    /** Sub-revision of the first change. */
    private int first = NONE;

    /** A key that is not changed yet. */
    ChangedKey(Bytes key, HeadRecord before) {
        this.key = key;
        this.before = before;
        this.now = before;
    }

    Bytes key() {
        return key;
    }

    HeadRecord before() {
        return before;
    }

    HeadRecord now() {
        return now;
    }

    void change(HeadRecord version) {
        first = first == NONE ? version.sub() : first;
        now = version;
    }

    /** True if {@code version} was the first change. */
    boolean isFirst(HeadRecord version) {
        return version.sub() == first;
    }

    /** True if {@code version} was the last change. */
    boolean isLast(HeadRecord version) {
        return version.sub() == now.sub();
    }

    /** False if there is no change, or only the key's tombstone was dropped. */
    boolean isChanged() {
        return first != NONE;
    }
}
