package io.brain.backend.write;

import io.brain.backend.wire.KeyValue;

/**
 * The newest record of a key at the tip.
 *
 * @param revision its revision; 0: the key has no record at all
 * @param kv the live KeyValue; null if the record is a tombstone or there is none
 */
public record TipRecord(long revision, KeyValue kv) {
    /** A key that has no record. */
    public static final TipRecord ABSENT = new TipRecord(0, null);

    /** True if the key exists. */
    public boolean exists() {
        return kv != null;
    }

    /** True if the newest record is a tombstone. */
    public boolean isTombstone() {
        return kv == null && revision != 0;
    }
}
