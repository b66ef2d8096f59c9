package io.brain.backend.key;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * What is stored under a revision key: the key's newest revision (8 bytes) and whether that is a
 * tombstone (1 byte).
 */
public record RevisionRecord(long revision, boolean tombstone) {
    /** Bytes of the stored form. */
    public static final int LENGTH = Long.BYTES + 1;

    /** The stored form. */
    public Bytes encode() {
        return new ByteWriter(LENGTH).putLong(revision).putByte(tombstone ? 1 : 0).finish();
    }

    /** Reads the stored form. */
    public static RevisionRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        return new RevisionRecord(in.getLong(), in.getByte() != 0);
    }
}
