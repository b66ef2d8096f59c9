package io.brain.storage.tikv.client;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.CommandPri;
import io.brain.proto.tikv.Kvrpcpb.Context;
import io.brain.proto.tikv.Kvrpcpb.DiskFullOpt;
import io.brain.proto.tikv.Metapb;
import io.brain.proto.tikv.Pdpb;
import io.brain.storage.tikv.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * A region and the store of its leader, as cached.
 *
 * @param known the region and its leader
 * @param clusterId PD's
 * @param requestMax the time after which nobody waits for a request any more
 */
public record RegionLocation(
        Pdpb.Region known, Metapb.Store store, long clusterId, Duration requestMax) {
    /**
     * Part of {@link #requestMax} in which a store may begin with a request, so that its refusal of
     * a later one arrives in time.
     */
    private static final double BEGIN_PART = 0.75;

    Metapb.Region region() {
        return known.getRegion();
    }

    /** First key; empty for the first region. */
    public ByteString start() {
        return region().getStartKey();
    }

    /** First key after the region; empty for the last region. */
    public ByteString end() {
        return region().getEndKey();
    }

    public boolean holds(ByteString key) {
        return holds(region(), key);
    }

    static boolean holds(Metapb.Region region, ByteString key) {
        ByteString end = region.getEndKey();
        boolean beforeEnd = end.isEmpty() || Wire.compare(key, end) < 0;
        return beforeEnd && Wire.compare(key, region.getStartKey()) >= 0;
    }

    /** True if the region ends before {@code key}; null for the end of all keys. */
    public boolean endsBefore(ByteString key) {
        return !end().isEmpty() && (key == null || Wire.compare(end(), key) < 0);
    }

    /** True if more than half of the region's replicas are on the given stores. */
    boolean hasMajorityOn(Collection<Long> stores) {
        List<Metapb.Peer> peers = region().getPeersList();
        long on = peers.stream().filter(peer -> stores.contains(peer.getStoreId())).count();
        return 2 * on > peers.size();
    }

    /**
     * Request context of the region. Allows requests on an almost full disk, because they are small
     * or free space; {@link Transaction} excludes client data. The store drops a request that is
     * too old: without a limit it would first execute all that arrived while it stalled.
     */
    public Context context() {
        return Context.newBuilder()
                .setRegionId(region().getId())
                .setRegionEpoch(region().getRegionEpoch())
                .setPeer(known.getLeader())
                .setDiskFullOpt(DiskFullOpt.AllowedOnAlmostFull)
                .setMaxExecutionDurationMs((long) (BEGIN_PART * requestMax.toMillis()))
                .setClusterId(clusterId)
                .build();
    }

    /** The same for what ends a transaction or keeps it alive: TiKV does not throttle it. */
    public Context urgentContext() {
        return context().toBuilder().setPriority(CommandPri.High).build();
    }
}
