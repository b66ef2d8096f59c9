package io.brain.storage.tikv.client;

import io.brain.storage.tikv.Transaction;
import org.tikv.common.region.TiRegion;
import org.tikv.common.region.TiStore;
import org.tikv.kvproto.Kvrpcpb.Context;
import org.tikv.kvproto.Kvrpcpb.DiskFullOpt;
import org.tikv.shade.com.google.protobuf.ByteString;

/** A region and the store of its leader, as cached. */
public record RegionLocation(TiRegion region, TiStore store) {
    /** First key; empty for the first region. */
    public ByteString start() {
        return region.getStartKey();
    }

    /** First key after the region; empty for the last region. */
    public ByteString end() {
        return region.getEndKey();
    }

    public boolean holds(ByteString key) {
        boolean beforeEnd = end().isEmpty() || Wire.compare(key, end()) < 0;
        return beforeEnd && Wire.compare(key, start()) >= 0;
    }

    /** True if the region ends before {@code key}; null for the end of all keys. */
    public boolean endsBefore(ByteString key) {
        return !end().isEmpty() && (key == null || Wire.compare(end(), key) < 0);
    }

    /**
     * Request context of the region. Allows requests on an almost full disk, because they are small
     * or free space; {@link Transaction} excludes client data.
     */
    public Context context() {
        return region.getLeaderContext().toBuilder()
                .setDiskFullOpt(DiskFullOpt.AllowedOnAlmostFull)
                .build();
    }
}
