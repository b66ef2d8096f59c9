package io.brain.storage.tikv.client;

import com.google.protobuf.ByteString;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The connections to one cluster; owned by the storage. */
public final class Cluster implements AutoCloseable {
    private final Channels channels;
    private final RegionCache regions;
    private final TimestampOracle clock;
    private final PdSafePoints safePoints;

    private Cluster(
            Channels channels,
            PdMembers pd,
            long id,
            TikvSettings settings,
            Counters counters,
            LongSupplier systemMillis) {
        this.channels = channels;
        Duration timeout = settings.rpcTimeout();
        this.regions = new RegionCache(new PdRegions(pd, id), channels, timeout, counters);
        this.clock = new TimestampOracle(pd::leader, id, timeout, systemMillis);
        this.safePoints = new PdSafePoints(pd::leader, id, timeout);
    }

    /**
     * Connects.
     *
     * @throws StorageException kind UNAVAILABLE, in bounded time, if PD or TiKV is unreachable
     */
    public static Cluster connect(TikvSettings settings, Counters counters) {
        return connect(settings, counters, System::currentTimeMillis);
    }

    /** As {@link #connect(TikvSettings, Counters)}, with another system clock. */
    public static Cluster connect(
            TikvSettings settings, Counters counters, LongSupplier systemMillis) {
        Backoff backoff = new Backoff(settings.readTimeout());
        Channels channels = new Channels(settings.network());
        PdMembers pd = new PdMembers(channels, settings);
        long id;
        try {
            id = pd.clusterId(backoff);
        } catch (RuntimeException e) {
            channels.close();
            throw unreachable(settings, e);
        }
        Cluster cluster = new Cluster(channels, pd, id, settings, counters, systemMillis);
        try {
            cluster.clock.now(backoff);
            cluster.regions.at(ByteString.EMPTY, backoff);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw unreachable(settings, e);
        }
    }

    public RegionCache regions() {
        return regions;
    }

    public TimestampOracle clock() {
        return clock;
    }

    public PdSafePoints safePoints() {
        return safePoints;
    }

    @Override
    public void close() {
        clock.close();
        channels.close();
    }

    private static StorageException unreachable(TikvSettings settings, RuntimeException cause) {
        return new StorageException(
                Kind.UNAVAILABLE,
                "cannot reach TiKV through PD at "
                        + String.join(",", settings.network().pdEndpoints())
                        + ": start it, or correct --storage-option pd-endpoints",
                cause);
    }
}
