package io.brain.backend.check;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;

/**
 * What the store says of its own extent.
 *
 * @param fence null if it is absent or damaged
 * @param compact how far history is gone
 */
record Extent(Fence fence, CompactRecord compact) {
    /** Greater ones have no place in the store. */
    private static final long REVISION_MAX = Long.MAX_VALUE >> 1;

    /** The newest revision; as large as can be if it is not known. */
    long revision() {
        return fence == null ? REVISION_MAX : fence.revision();
    }

    /** True if a record may be of this revision. */
    boolean contains(long revision) {
        return revision > 1 && revision <= revision();
    }

    /** True while compaction has not yet removed all that lies below the floor. */
    boolean compacting() {
        return compact.finished() < compact.floor();
    }
}
