package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;

/**
 * How far history is gone.
 *
 * @param floor the oldest readable revision; -1 if nothing was ever compacted. Durable before
 *     anything is deleted
 * @param finished everything up to a compaction at this revision is deleted; -1 if nothing was.
 *     Less than the floor while a compaction runs
 */
public record CompactRecord(long floor, long finished) {
    /** A store that was never compacted. */
    public static final CompactRecord NONE = new CompactRecord(-1, -1);

    /** The stored form: two numbers of 8 bytes. */
    public Bytes encode() {
        return new ByteWriter(2 * Long.BYTES).putLong(floor).putLong(finished).finish();
    }

    /**
     * Reads the stored form.
     *
     * @param stored null means {@link #NONE}
     */
    public static CompactRecord decode(Bytes stored) {
        if (stored == null) {
            return NONE;
        }
        ByteReader in = new ByteReader(stored, 0);
        return new CompactRecord(in.getLong(), in.getLong());
    }
}
