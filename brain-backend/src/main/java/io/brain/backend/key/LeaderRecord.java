package io.brain.backend.key;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/** Who leads: the member that holds an epoch. */
public record LeaderRecord(long memberId, long epoch) {
    /** The stored form: two numbers of 8 bytes. */
    public Bytes encode() {
        return new ByteWriter(2 * Long.BYTES).putLong(memberId).putLong(epoch).finish();
    }

    /** Reads the stored form. */
    public static LeaderRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        return new LeaderRecord(in.getLong(), in.getLong());
    }
}
