package io.brain.storage.tikv.client;

import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.tikv.common.TiSession;
import org.tikv.common.region.RegionManager;
import org.tikv.common.region.TiRegion;
import org.tikv.common.region.TiStore;
import org.tikv.common.util.ConcreteBackOffer;
import org.tikv.common.util.Pair;
import org.tikv.kvproto.Errorpb;
import org.tikv.kvproto.TikvGrpc;
import org.tikv.kvproto.TikvGrpc.TikvFutureStub;
import org.tikv.shade.com.google.protobuf.ByteString;
import org.tikv.shade.io.grpc.ManagedChannel;

/** Locates keys: the client's region cache. Thread-safe. */
public final class RegionCache {
    /**
     * Length of the probe key of the last region; longer keys of 0xff bytes take one more lookup.
     */
    private static final int FAR_KEY_LENGTH = 64;

    /** After all keys, for requests that need an end. */
    public static final ByteString FAR_KEY = farKey();

    private final TiSession session;
    private final RegionManager manager;
    private final Duration rpcTimeout;
    private final Counters counters;

    RegionCache(TiSession session, Duration rpcTimeout, Counters counters) {
        this.session = session;
        this.manager = session.getRegionManager();
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
                int millis = (int) Math.min(rpcTimeout.toMillis(), backoff.leftMillis());
                Pair<TiRegion, TiStore> found =
                        manager.getRegionStorePairByKey(
                                key, ConcreteBackOffer.newCustomBackOff(millis));
                return new RegionLocation(found.first, found.second, rpcTimeout);
            } catch (RuntimeException e) {
                backoff.pause("cannot locate region: " + e.getMessage(), e);
            }
        }
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

    /**
     * Invalidates a region whose leader does not respond, and its store, which may have another
     * address now. Also allowed after the session's end.
     */
    void invalidate(RegionLocation location) {
        counters.regionErrors.increment();
        manager.invalidateRegion(location.region());
        manager.invalidateStore(location.store().getId());
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
                manager.invalidateRegion(location.region());
            }
            return error.getServerIsBusy().getBackoffMs();
        }
        if (error.hasStoreNotMatch()) {
            manager.invalidateStore(location.store().getId()); // another store has its address
        }
        long leader = error.getNotLeader().getLeader().getStoreId();
        boolean named =
                leader != location.store().getId()
                        && location.region().getMeta().getPeersList().stream()
                                .anyMatch(peer -> peer.getStoreId() == leader);
        if (!named || manager.updateLeader(location.region(), leader) == null) {
            manager.invalidateRegion(location.region());
        }
        return 0;
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

    public TikvFutureStub stub(RegionLocation location) {
        return TikvGrpc.newFutureStub(channel(location))
                .withDeadlineAfter(rpcTimeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private ManagedChannel channel(RegionLocation location) {
        return session.getChannelFactory()
                .getChannel(location.store().getAddress(), session.getPDClient().getHostMapping());
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
