package io.brain.storage.tikv;

import org.tikv.common.region.TiRegion;
import org.tikv.common.region.TiStore;
import org.tikv.kvproto.Kvrpcpb.Context;
import org.tikv.kvproto.Kvrpcpb.DiskFullOpt;
import org.tikv.shade.com.google.protobuf.ByteString;

/** A region as it was last heard of, and the store of its leader. */
record RegionLocation(TiRegion region, TiStore store) {
    /** Its first key; empty for the first region. */
    ByteString start() {
        return region.getStartKey();
    }

    /** The first key behind it; empty for the last region. */
    ByteString end() {
        return region.getEndKey();
    }

    boolean holds(ByteString key) {
        boolean beforeEnd = end().isEmpty() || Wire.compare(key, end()) < 0;
        return beforeEnd && Wire.compare(key, start()) >= 0;
    }

    /** True if the region ends before {@code key}; null stands for the very end. */
    boolean endsBefore(ByteString key) {
        return !end().isEmpty() && (key == null || Wire.compare(end(), key) < 0);
    }

    /**
     * What each request to the region begins with. A store whose disk is almost full takes it, as
     * what it does is small or makes room; {@link Transaction} excepts what does not.
     */
    Context context() {
        return region.getLeaderContext().toBuilder()
                .setDiskFullOpt(DiskFullOpt.AllowedOnAlmostFull)
                .build();
    }
}
