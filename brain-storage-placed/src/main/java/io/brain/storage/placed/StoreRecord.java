package io.brain.storage.placed;

import io.brain.storage.Bytes;

/**
 * A placed store's record of itself. Compared and set by each of its commits.
 *
 * @param base the base's random number
 * @param name of the store
 * @param number of its last commit
 */
record StoreRecord(long base, String name, long number) {
    StoreRecord next() {
        return new StoreRecord(base, name, number + 1);
    }

    Bytes encode() {
        return Records.encode(
                out -> {
                    out.writeLong(base);
                    out.writeUTF(name);
                    out.writeLong(number);
                });
    }

    static StoreRecord decode(Bytes record) {
        return Records.decode(
                "the record of a placed store",
                record,
                in -> new StoreRecord(in.readLong(), in.readUTF(), in.readLong()));
    }
}
