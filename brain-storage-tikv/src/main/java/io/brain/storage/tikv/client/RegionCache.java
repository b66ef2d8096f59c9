package io.brain.storage.tikv.client;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Metapb;
import io.brain.proto.tikv.Pdpb;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.proto.tikv.TikvGrpc.TikvFutureStub;
import io.brain.storage.StorageException;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** Locates keys: the regions and stores that PD reported. Thread-safe. */
public final class RegionCache {
    /**
     * Length of the probe key of the last region; longer keys of 0xff bytes take one more lookup.
     */
    private static final int FAR_KEY_LENGTH = 64;

    /** After all keys, for requests that need an end. */
    public static final ByteString FAR_KEY = farKey();

    /** Time for the lookup of a last attempt, after the pauses took what the call had left. */
    private static final long LAST_LOOKUP_MILLIS = 500;

    private final PdRegions pd;
    private final Channels channels;
    private final Duration rpcTimeout;
    private final Counters counters;

    /** By first key. They do not overlap. */
    private final ConcurrentNavigableMap<ByteString, Pdpb.Region> regions =
            new ConcurrentSkipListMap<>(Wire::compare);

    private final Map<Long, Metapb.Store> stores = new ConcurrentHashMap<>();

    RegionCache(PdRegions pd, Channels channels, Duration rpcTimeout, Counters counters) {
        this.pd = pd;
        this.channels = channels;
        this.rpcTimeout = rpcTimeout;
        this.counters = counters;
    }

    /**
     * The region that holds {@code key}.
     *
     * @throws StorageException kind UNAVAILABLE if PD does not respond in time
     */
    public RegionLocation at(ByteString key, Backoff backoff) {
        while (true) {
            backoff.beat();
            try {
                return find(key, deadline(backoff));
            } catch (RuntimeException e) {
                backoff.pause("cannot locate region: " + e.getMessage(), e);
            }
        }
    }

    private Deadline deadline(Backoff backoff) {
        long millis = Math.max(LAST_LOOKUP_MILLIS, backoff.leftMillis());
        return Deadline.after(Math.min(rpcTimeout.toMillis(), millis), TimeUnit.MILLISECONDS);
    }

    /** With a region, its leader's store is looked up, which may have another address now. */
    private RegionLocation find(ByteString key, Deadline deadline) {
        Pdpb.Region region = cached(key);
        Metapb.Store store = region == null ? null : stores.get(region.getLeader().getStoreId());
        if (region == null) {
            region = lookup(key, deadline);
        }
        if (store == null) {
            store = leaderStore(region, deadline);
        }
        return new RegionLocation(region, store, pd.clusterId(), rpcTimeout);
    }

    /** Null for none. */
    private Pdpb.Region cached(ByteString key) {
        Map.Entry<ByteString, Pdpb.Region> floor = regions.floorEntry(key);
        return floor != null && RegionLocation.holds(floor.getValue().getRegion(), key)
                ? floor.getValue()
                : null;
    }

    private Pdpb.Region lookup(ByteString key, Deadline deadline) {
        Pdpb.Region found = pd.region(key, deadline);
        if (!RegionLocation.holds(found.getRegion(), key)) {
            throw new IllegalStateException("PD reports another region");
        }
        put(found);
        return found;
    }

    private Metapb.Store leaderStore(Pdpb.Region region, Deadline deadline) {
        try {
            Metapb.Store store = pd.store(region.getLeader().getStoreId(), deadline);
            stores.put(store.getId(), store);
            return store;
        } catch (RuntimeException e) {
            invalidate(region); // the store may have been removed
            throw e;
        }
    }

    /**
     * Caches a region instead of those that it overlaps, which were split or merged. If one of them
     * has a newer epoch, PD is behind, and the region is not cached.
     */
    private synchronized void put(Pdpb.Region found) {
        ByteString start = found.getRegion().getStartKey();
        ByteString end = found.getRegion().getEndKey();
        Pdpb.Region before = cached(start);
        ByteString from = before == null ? start : before.getRegion().getStartKey();
        Map<ByteString, Pdpb.Region> overlapped =
                end.isEmpty() ? regions.tailMap(from) : regions.subMap(from, end);
        if (overlapped.values().stream().allMatch(old -> version(old) <= version(found))) {
            overlapped.clear();
            regions.put(start, found);
        }
    }

    private static long version(Pdpb.Region region) {
        return region.getRegion().getRegionEpoch().getVersion();
    }

    /** The region that holds the last keys before {@code key}; null stands for the very end. */
    public RegionLocation before(ByteString key, Backoff backoff) {
        RegionLocation location = at(near(key), backoff);
        while (location.endsBefore(key)) {
            location = at(location.end(), backoff);
        }
        return location;
    }

    /** Invalidates a region whose leader does not respond, and connects again without a pause. */
    public void forget(RegionLocation location) {
        invalidate(location);
        channel(location).resetConnectBackoff();
    }

    /** As {@link #forget(RegionLocation)}, after a request without an answer. */
    public void forget(RegionLocation location, NoAnswerException failure) {
        forget(location);
        if (failure.isOfOtherCluster()) {
            reconnect(location);
        }
    }

    /** Connects again: the address belongs to another store now, or its name did for a time. */
    private void reconnect(RegionLocation location) {
        channel(location).enterIdle();
    }

    /** Invalidates a region whose leader does not respond. Also allowed after the close. */
    void invalidate(RegionLocation location) {
        counters.regionErrors.increment();
        invalidate(location.known());
    }

    /** Does nothing if the region was located again. */
    private void invalidate(Pdpb.Region region) {
        regions.remove(region.getRegion().getStartKey(), region);
    }

    /**
     * Handles a region error. Unless the region only has to be asked again, PD is asked for it; for
     * its leader only if the error names none. An error of an unknown kind counts as a region that
     * moved. So does a store that stays busy: it may refuse before it sees that it leads no more.
     *
     * @return minimum time before the next request, in milliseconds
     */
    public long refused(RegionLocation location, Errorpb.Error error, Backoff backoff) {
        counters.regionErrors.increment();
        if (isTemporary(error)) {
            if (backoff.isLong()) {
                invalidate(location.known());
            }
            return error.getServerIsBusy().getBackoffMs();
        }
        if (error.hasStoreNotMatch()) {
            reconnect(location);
        }
        long leader = error.getNotLeader().getLeader().getStoreId();
        location.region().getPeersList().stream()
                .filter(peer -> peer.getStoreId() == leader && leader != location.store().getId())
                .findFirst()
                .ifPresentOrElse(
                        peer -> setLeader(location.known(), peer),
                        () -> invalidate(location.known()));
        return 0;
    }

    /** Does nothing if the region was located again. */
    private void setLeader(Pdpb.Region region, Metapb.Peer leader) {
        regions.replace(
                region.getRegion().getStartKey(),
                region,
                region.toBuilder().setLeader(leader).build());
    }

    /** True if the same replica will answer soon. */
    private static boolean isTemporary(Errorpb.Error error) {
        return error.hasServerIsBusy()
                || error.hasStaleCommand()
                || error.hasMaxTimestampNotSynced()
                || error.hasReadIndexNotReady()
                || error.hasProposalInMergingMode()
                || error.hasRegionNotInitialized()
                || error.hasRecoveryInProgress();
    }

    /** For a request that the store answers soon. */
    public TikvFutureStub stub(RegionLocation location) {
        return stub(location, rpcTimeout.toMillis());
    }

    /** For a request that may take all the time that its call has left. */
    public TikvFutureStub stub(RegionLocation location, Backoff backoff) {
        return stub(location, backoff.leftMillis());
    }

    private TikvFutureStub stub(RegionLocation location, long millis) {
        return TikvGrpc.newFutureStub(channel(location))
                .withDeadlineAfter(millis, TimeUnit.MILLISECONDS);
    }

    private ManagedChannel channel(RegionLocation location) {
        return channels.to(location.store().getAddress());
    }

    /** A key before {@code key}, usually in the region of its predecessor. */
    private static ByteString near(ByteString key) {
        if (key == null) {
            return FAR_KEY;
        }
        byte[] bytes = key.toByteArray();
        int last = bytes.length - 1;
        if (bytes[last] == 0) {
            return ByteString.copyFrom(bytes, 0, last);
        }
        byte[] near = Arrays.copyOf(bytes, bytes.length + 8);
        near[last]--;
        Arrays.fill(near, bytes.length, near.length, (byte) 0xff);
        return ByteString.copyFrom(near);
    }

    private static ByteString farKey() {
        byte[] far = new byte[FAR_KEY_LENGTH];
        Arrays.fill(far, (byte) 0xff);
        return ByteString.copyFrom(far);
    }
}
