package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * Neighbouring parts of the key space whose heads are to be read from the engine.
 *
 * @param parts at least one; each begins where the one before ends
 */
public record CacheGap(List<Part> parts) {

    /**
     * A part of one block.
     *
     * @param begin the first key that may be in it; of the first part it may be below the key that
     *     was asked for
     * @param end the first key behind it; null: there is none
     * @param use what the cache wants to learn from it
     */
    public record Part(Bytes begin, Bytes end, Use use) {}

    /** What the cache wants to learn. */
    public enum Use {
        /** Nothing. */
        NONE,
        /** How many keys there are: a {@link BlockTally}. */
        COUNT,
        /** All heads of the block. */
        HEADS
    }

    /** The first key that may be in the gap. */
    public Bytes begin() {
        return parts.get(0).begin();
    }

    /** The first key behind the gap; null: there is none. */
    public Bytes end() {
        return parts.get(parts.size() - 1).end();
    }
}
