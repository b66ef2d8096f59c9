package io.brain.backend.store;

import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.nio.ByteBuffer;

/** Records of user keys in order of a number, then of the key. Immutable. */
public final class KeyIndex {
    private final byte[] prefix;

    /** Records below {@code prefix}. */
    KeyIndex(Bytes prefix) {
        this.prefix = prefix.array();
    }

    /** The key of a record. */
    public Bytes key(long number, Bytes userKey) {
        return start(number, userKey.length()).putBytes(userKey).finish();
    }

    /** All records. */
    public KeyRange range() {
        return KeyRange.prefix(Bytes.wrap(prefix));
    }

    /** The records of a number, in order of user keys. */
    public KeyRange of(long number) {
        return KeyRange.prefix(start(number, 0).finish());
    }

    /** True if a key of {@link #range} is well-formed. */
    public boolean isKey(Bytes key) {
        return key.length() >= prefix.length + Long.BYTES;
    }

    /** The number of a record. */
    public long number(Bytes key) {
        return ByteBuffer.wrap(key.array()).getLong(prefix.length);
    }

    /** The user key of a record. */
    public Bytes userKey(Bytes key) {
        int skip = prefix.length + Long.BYTES;
        return Bytes.copyOf(key.array(), skip, key.length() - skip);
    }

    private ByteWriter start(long number, int more) {
        return new ByteWriter(prefix.length + Long.BYTES + more).putRaw(prefix).putLong(number);
    }
}
