package io.brain.backend.cache;

import io.brain.storage.Bytes;

/** A part of the key space, up to where the next block begins. */
final class KeyBlock {
    static final long UNKNOWN = -1;

    /** The first key that may be in it. */
    final Bytes begin;

    /** How many keys exist in it, or {@link #UNKNOWN}; guarded by the cache's lock. */
    long keys;

    /** Null: none. Changed under the cache's lock; null from the moment the block is replaced. */
    volatile CachedHeads heads;

    /** Read since the last search for room. Races lose no more than a hint. */
    boolean used;

    KeyBlock(Bytes begin, long keys) {
        this.begin = begin;
        this.keys = keys;
    }

    /** All heads of the block at a revision; null: they are not known. */
    CachedHeads headsAt(long revision) {
        CachedHeads all = heads;
        if (all == null || !all.isWholeAt(revision)) {
            return null;
        }
        markUsed();
        return all;
    }

    void markUsed() {
        if (!used) {
            used = true;
        }
    }

    boolean isCounted() {
        return keys != UNKNOWN;
    }
}
