package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.random.RandomGenerator;

/** The ids that clients see in every header. Chosen when the store is first used, and kept. */
public record IdentityRecord(long clusterId, long memberId) {
    /** New ids; never zero, which stands for "none". */
    public static IdentityRecord random(RandomGenerator random) {
        return new IdentityRecord(nonZero(random), nonZero(random));
    }

    /** The stored form: two numbers of 8 bytes. */
    public Bytes encode() {
        return new ByteWriter(2 * Long.BYTES).putLong(clusterId).putLong(memberId).finish();
    }

    /** Reads the stored form. */
    public static IdentityRecord decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        return new IdentityRecord(in.getLong(), in.getLong());
    }

    private static long nonZero(RandomGenerator random) {
        long id;
        do {
            id = random.nextLong();
        } while (id == 0);
        return id;
    }
}
