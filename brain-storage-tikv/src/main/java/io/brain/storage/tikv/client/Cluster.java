package io.brain.storage.tikv.client;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tikv.common.TiConfiguration;
import org.tikv.common.TiSession;
import org.tikv.common.util.ChannelFactory;
import org.tikv.kvproto.PDGrpc;
import org.tikv.kvproto.Pdpb.GetMembersRequest;
import org.tikv.kvproto.Pdpb.GetMembersResponse;
import org.tikv.kvproto.Pdpb.Member;
import org.tikv.shade.com.google.common.util.concurrent.ListenableFuture;
import org.tikv.shade.com.google.protobuf.ByteString;
import org.tikv.shade.io.grpc.ManagedChannel;
import org.tikv.shade.io.grpc.Status;

/** The connections to one cluster and the client's threads; owned by the storage. */
public final class Cluster implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Cluster.class);

    private static final int MESSAGE_BYTES_MAX = 512 << 20;
    private static final int KEEPALIVE_SECONDS = 10;
    private static final int CONNECTION_RECYCLE_SECONDS = 60;

    /** Interval of certificate reloads; with 0 the client disables TLS. */
    private static final int CERTIFICATE_RELOAD_SECONDS = 10;

    private static final int KEEPALIVE_TIMEOUT_SECONDS = 3;
    private static final int IDLE_SECONDS = 60;

    private final TiSession session;
    private final RegionCache regions;
    private final TimestampOracle clock;
    private final PdSafePoints safePoints;

    private Cluster(
            TiSession session,
            TikvSettings settings,
            Counters counters,
            LongSupplier systemMillis) {
        this.session = session;
        this.regions = new RegionCache(session, settings.rpcTimeout(), counters);
        TimestampOracle.LeaderChannel leader = () -> leader(session, settings);
        long clusterId = session.getPDClient().getClusterId();
        this.clock = new TimestampOracle(leader, clusterId, settings.rpcTimeout(), systemMillis);
        this.safePoints = new PdSafePoints(leader, clusterId, settings.rpcTimeout());
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
        // If PD is unreachable, the client waits long, fails with a NullPointerException and leaks
        // its channels, so check first.
        probe(settings);
        TiSession session;
        try {
            session = TiSession.create(configuration(settings));
        } catch (RuntimeException e) {
            throw unreachable(settings, e);
        }
        Cluster cluster = new Cluster(session, settings, counters, systemMillis);
        try {
            Backoff backoff = new Backoff(settings.readTimeout());
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
        try {
            session.close();
        } catch (Exception e) {
            log.warn("failed to close TiKV connections", e);
        }
    }

    private static void probe(TikvSettings settings) {
        TikvSettings.Tls tls = settings.network().tls();
        ChannelFactory channels =
                tls == null
                        ? new ChannelFactory(
                                MESSAGE_BYTES_MAX,
                                KEEPALIVE_SECONDS,
                                KEEPALIVE_TIMEOUT_SECONDS,
                                IDLE_SECONDS)
                        : new ChannelFactory(
                                MESSAGE_BYTES_MAX,
                                KEEPALIVE_SECONDS,
                                KEEPALIVE_TIMEOUT_SECONDS,
                                IDLE_SECONDS,
                                CONNECTION_RECYCLE_SECONDS,
                                CERTIFICATE_RELOAD_SECONDS,
                                tls.ca(),
                                tls.certificate(),
                                tls.key());
        try {
            awaitLeader(channels, settings);
        } finally {
            channels.close();
        }
    }

    /** Waits for a PD election, but not for an unreachable PD. */
    private static void awaitLeader(ChannelFactory channels, TikvSettings settings) {
        Backoff backoff = new Backoff(settings.readTimeout());
        while (true) {
            try {
                members(channels, settings.network().pdEndpoints(), settings);
                return;
            } catch (RuntimeException e) {
                if (isRefusal(e) || backoff.isOver()) {
                    throw unreachable(settings, e);
                }
                backoff.pause("PD has no leader", e);
            }
        }
    }

    private static boolean isRefusal(RuntimeException failure) {
        return failure instanceof NoAnswerException
                && Status.fromThrowable(failure.getCause()).getCode() == Status.Code.UNAVAILABLE;
    }

    /**
     * The members according to the first PD that reports a leader; all are asked at once, as some
     * may hang. gRPC would wait up to two minutes before it connects again to a PD that was away;
     * the callers pause enough.
     */
    private static GetMembersResponse members(
            ChannelFactory channels, Collection<String> endpoints, TikvSettings settings) {
        BlockingQueue<ListenableFuture<GetMembersResponse>> done = new LinkedBlockingQueue<>();
        for (String endpoint : endpoints) {
            ManagedChannel channel = channels.getChannel(endpoint, settings.network()::reached);
            channel.resetConnectBackoff();
            ListenableFuture<GetMembersResponse> asked =
                    PDGrpc.newFutureStub(channel)
                            .withDeadlineAfter(
                                    settings.rpcTimeout().toMillis(), TimeUnit.MILLISECONDS)
                            .getMembers(GetMembersRequest.getDefaultInstance());
            asked.addListener(() -> done.add(asked), Runnable::run);
        }
        RuntimeException failure = null;
        for (int i = 0; i < endpoints.size(); i++) {
            try {
                GetMembersResponse members = Wire.await(done.take());
                if (members.getLeader().getClientUrlsCount() > 0) {
                    return members;
                }
                failure = new IllegalStateException("PD reports no leader");
            } catch (NoAnswerException e) {
                failure = failure == null || !isRefusal(e) ? e : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(Kind.UNAVAILABLE, "interrupted while asking PD", e);
            }
        }
        throw failure == null ? new IllegalStateException("no PD endpoint") : failure;
    }

    private static ManagedChannel leader(TiSession session, TikvSettings settings) {
        ChannelFactory channels = session.getChannelFactory();
        Set<String> endpoints = new LinkedHashSet<>(settings.network().pdEndpoints());
        for (URI known : session.getPDClient().getPdAddrs()) {
            endpoints.add(known.getAuthority());
        }
        Member leader = members(channels, endpoints, settings).getLeader();
        List<String> urls = new ArrayList<>(leader.getClientUrlsList());
        return channels.getChannel(
                URI.create(urls.get(0)).getAuthority(), session.getPDClient().getHostMapping());
    }

    private static TiConfiguration configuration(TikvSettings settings) {
        TiConfiguration conf =
                TiConfiguration.createDefault(String.join(",", settings.network().pdEndpoints()));
        conf.setHostMapping(settings.network()::reached);
        conf.setTimeout(settings.rpcTimeout().toMillis());
        conf.setPdFirstGetMemberTimeout(settings.rpcTimeout().toMillis());
        conf.setMaxFrameSize(MESSAGE_BYTES_MAX);
        conf.setKeepaliveTime(KEEPALIVE_SECONDS);
        conf.setKeepaliveTimeout(KEEPALIVE_TIMEOUT_SECONDS);
        conf.setIdleTimeout(IDLE_SECONDS);
        conf.setEnableGrpcForward(false);
        conf.setMetricsEnable(false);
        TikvSettings.Tls tls = settings.network().tls();
        if (tls != null) {
            conf.setTlsEnable(true);
            conf.setTrustCertCollectionFile(tls.ca());
            conf.setKeyCertChainFile(tls.certificate());
            conf.setKeyFile(tls.key());
            conf.setCertReloadIntervalInSeconds(CERTIFICATE_RELOAD_SECONDS);
        }
        return conf;
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
