package io.brain.storage.placed;

import io.brain.storage.Bytes;

/**
 * How far a prefix was copied into a store, or cleared from it.
 *
 * @param number of the placement
 * @param next first key that was not; null: everything was
 */
record Position(long number, Bytes next) {
    /** True if a key of the prefix was copied or cleared. */
    boolean isPast(Bytes key) {
        return next == null || key.compareTo(next) < 0;
    }

    Bytes encode() {
        return Records.encode(
                out -> {
                    out.writeLong(number);
                    Records.writeBytes(out, next == null ? Bytes.EMPTY : next);
                });
    }

    static Position decode(Bytes record) {
        return Records.decode(
                "the position of a move",
                record,
                in -> {
                    long number = in.readLong();
                    Bytes next = Records.readBytes(in);
                    return new Position(number, next.isEmpty() ? null : next);
                });
    }
}
