package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * State of authentication; users and roles have records of their own.
 *
 * @param revision number of the last change of a user or a role
 * @param tokenKey secret; empty before authentication was enabled here
 */
public record AuthRecord(boolean enabled, long revision, Bytes tokenKey) {
    private static final int KEY_AT = 1 + Long.BYTES;

    /** A state without a token key. */
    public AuthRecord(boolean enabled, long revision) {
        this(enabled, revision, Bytes.EMPTY);
    }

    /** The stored form: one byte, 1 if enabled, a number of 8 bytes, and the key. */
    public Bytes encode() {
        return new ByteWriter(KEY_AT + tokenKey.length())
                .putByte(enabled ? 1 : 0)
                .putLong(revision)
                .putBytes(tokenKey)
                .finish();
    }

    /** Reads the stored form. */
    public static AuthRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        boolean enabled = in.getByte() != 0;
        long revision = in.getLong();
        return new AuthRecord(
                enabled, revision, Bytes.copyOf(stored.array(), KEY_AT, stored.length() - KEY_AT));
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "AuthRecord[enabled=" + enabled + ", revision=" + revision + "]";
    }
}
