package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * State of authentication; users and roles have records of their own.
 *
 * @param revision number of the last change of a user or a role
 */
public record AuthRecord(boolean enabled, long revision) {
    /** The stored form: one byte, 1 if enabled, and a number of 8 bytes. */
    public Bytes encode() {
        return new ByteWriter(1 + Long.BYTES).putByte(enabled ? 1 : 0).putLong(revision).finish();
    }

    /** Reads the stored form. */
    public static AuthRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        return new AuthRecord(in.getByte() != 0, in.getLong());
    }
}
