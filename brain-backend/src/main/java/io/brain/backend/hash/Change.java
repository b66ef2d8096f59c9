package io.brain.backend.hash;

import java.nio.ByteBuffer;

/**
 * What the hash of a history needs of one change.
 *
 * @param revision the change's revision
 * @param sub its place within the revision
 * @param replaced true if it is at or below the compacted revision and another one up to the hashed
 *     revision came after it
 * @param length bytes that are hashed
 * @param crc their CRC-32C
 */
record Change(long revision, int sub, boolean replaced, int length, int crc)
        implements Comparable<Change> {
    /** Bytes of the written form. */
    static final int BYTES = Long.BYTES + 3 * Integer.BYTES;

    private static final int SUB_MAX = Integer.MAX_VALUE >> 1;

    Change {
        if (sub > SUB_MAX) {
            throw new IllegalArgumentException("sub-revision " + sub);
        }
    }

    static Change readFrom(ByteBuffer in) {
        long revision = in.getLong();
        int sub = in.getInt();
        return new Change(revision, sub >> 1, (sub & 1) != 0, in.getInt(), in.getInt());
    }

    void writeTo(ByteBuffer out) {
        out.putLong(revision).putInt(sub << 1 | (replaced ? 1 : 0)).putInt(length).putInt(crc);
    }

    /** The order in which the changes were made. */
    @Override
    public int compareTo(Change other) {
        int order = Long.compare(revision, other.revision);
        return order != 0 ? order : Integer.compare(sub, other.sub);
    }
}
