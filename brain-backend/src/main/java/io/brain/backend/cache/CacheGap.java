package io.brain.backend.cache;

import io.brain.storage.Bytes;

/**
 * Keys of one block whose heads must be read from the engine.
 *
 * @param start inclusive; may be before the requested key
 * @param end exclusive; null: none
 * @param use what the cache learns from the read
 */
public record CacheGap(Bytes start, Bytes end, Use use) {
    /** What the cache learns from a read. */
    public enum Use {
        NONE,
        /** The number of keys, with a {@link BlockTally}. */
        COUNT,
        /** All heads. */
        HEADS
    }
}
