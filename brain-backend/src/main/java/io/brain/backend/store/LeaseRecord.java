package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * A granted lease.
 *
 * @param ttl granted time to live in seconds
 * @param remaining seconds that were left at the last checkpoint; 0 if there was none
 */
public record LeaseRecord(long ttl, long remaining) {
    /** The stored form: two numbers of 8 bytes. */
    public Bytes encode() {
        return new ByteWriter(2 * Long.BYTES).putLong(ttl).putLong(remaining).finish();
    }

    /** Reads the stored form. */
    public static LeaseRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        return new LeaseRecord(in.getLong(), in.getLong());
    }
}
