package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Member;
import io.brain.options.HostPort;
import io.brain.server.etcd.ListedServers;
import io.brain.server.front.EventLoops;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.peer.ReadyChannels.Purpose;
import io.brain.server.tls.TlsContexts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to other nodes over gRPC, with TLS for https URLs. Links and this object use the event
 * loops and must be closed before them.
 */
public final class GrpcPeers implements Peers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcPeers.class);

    private static final int CONNECT_MILLIS_MAX = 2000;
    private static final int PING_MILLIS_MAX = 1000;

    /** Maximum bytes of a stream that are received and not processed. */
    private static final int WINDOW_BYTES = 1 << 20;

    /** Time between two looks at the members. */
    private static final long READY_MILLIS = 5000;

    /** Responses to commands: the leader's response budget limits them. */
    private static final int RESPONSE_BYTES_MAX = Integer.MAX_VALUE;

    private static final int PING_BYTES_MAX = 1 << 10;

    /** Above the largest update: revisions in memory of the leader. */
    private static final int UPDATE_BYTES_MAX = 256 << 20;

    private final EventLoops loops;
    private final SslContext tls;
    private final Duration timeout;
    private final PeerMetrics metrics;
    private final LongSupplier self;
    private final AtomicReference<String> lastError = new AtomicReference<>();
    private final ReadyChannels ready = new ReadyChannels(this::open);

    /** Null until {@link #keepReady}. */
    private Future<?> refresh;

    /**
     * Creates connections on demand.
     *
     * @param timeout of calls
     * @param self this node's member id; 0 while unknown
     * @throws IOException if certificates cannot be loaded
     */
    public GrpcPeers(
            EventLoops loops,
            TlsContexts tls,
            Duration timeout,
            PeerMetrics metrics,
            LongSupplier self)
            throws IOException {
        this.loops = loops;
        this.tls = tls.caller();
        this.timeout = timeout;
        this.metrics = metrics;
        this.self = self;
    }

    @Override
    public LeaderLink connect(LeaderId leader, List<String> urls) {
        PeerMetrics.Peer peer = metrics.of(leader.memberId());
        PeerChannels calls = channels(leader, urls, RESPONSE_BYTES_MAX, peer);
        calls.connect();
        return new GrpcLeaderLink(
                calls,
                channels(leader, urls, UPDATE_BYTES_MAX, peer),
                new RttProbe(calls, peer, loops.workers().next()),
                timeout);
    }

    @Override
    public CompletableFuture<Boolean> reaches(LeaderId member, List<String> urls) {
        PeerChannels channels =
                channels(member, urls, PING_BYTES_MAX, metrics.of(member.memberId()));
        CompletableFuture<Boolean> reached = new CompletableFuture<>();
        Futures.onEnd(
                channels.ping(PING_MILLIS_MAX),
                (response, failure) -> {
                    channels.close();
                    reached.complete(failure == null);
                });
        return reached;
    }

    /**
     * Keeps connections to the other members from now on, for {@link #connect}.
     *
     * @param members does not block
     */
    public void keepReady(Supplier<CompletableFuture<List<Member>>> members) {
        refresh =
                loops.workers()
                        .next()
                        .scheduleWithFixedDelay(
                                () -> refresh(members), 0, READY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void refresh(Supplier<CompletableFuture<List<Member>>> members) {
        Futures.onEnd(
                // A call that is refused at once fails the future: an exception would end the task.
                CompletableFuture.completedFuture(null).thenCompose(begun -> members.get()),
                (found, failure) -> {
                    if (failure == null) {
                        ready.keep(purposes(found));
                    }
                });
    }

    /** The first URL of each other member is the one that a link connects to. */
    private Set<Purpose> purposes(List<Member> members) {
        Set<Purpose> purposes = new HashSet<>();
        for (Member member : members) {
            if (member.id() != self.getAsLong() && !member.peerUrls().isEmpty()) {
                purposes.add(new Purpose(member.peerUrls().get(0), RESPONSE_BYTES_MAX));
                purposes.add(new Purpose(member.peerUrls().get(0), UPDATE_BYTES_MAX));
            }
        }
        return purposes;
    }

    private PeerChannels channels(
            LeaderId leader, List<String> urls, int messageBytesMax, PeerMetrics.Peer peer) {
        List<ManagedChannel> channels = new ArrayList<>();
        for (String url : urls) {
            Purpose purpose = new Purpose(url, messageBytesMax);
            ManagedChannel connected = ready.take(purpose);
            try {
                channels.add(connected == null ? open(purpose) : connected);
            } catch (IllegalArgumentException malformed) {
                LOG.warn("invalid peer URL of leader url={} error={}", url, malformed.getMessage());
            }
        }
        return new PeerChannels(
                channels,
                List.of(new PeerTraffic.Client(peer, self), new LeaderClientInterceptor(leader)),
                peer,
                lastError);
    }

    private ManagedChannel open(Purpose purpose) {
        URI url = URI.create(purpose.url());
        HostPort at = HostPort.of(url);
        if (at == null || at.port() < 0) {
            throw new IllegalArgumentException("missing host or port");
        }
        NettyChannelBuilder builder =
                NettyChannelBuilder.forTarget(ListedServers.target(List.of(url)))
                        .eventLoopGroup(loops.workers())
                        .channelFactory(DeadPeerDetector::client)
                        .withOption(ChannelOption.TCP_NODELAY, true)
                        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .directExecutor()
                        .disableRetry()
                        .disableServiceConfigLookUp()
                        .proxyDetector(address -> null)
                        .flowControlWindow(WINDOW_BYTES)
                        .maxInboundMessageSize(purpose.messageBytesMax());
        if ("https".equals(url.getScheme())) {
            builder.sslContext(tls);
        } else {
            builder.usePlaintext();
        }
        return builder.build();
    }

    /** Closes the connections that no link uses. */
    @Override
    public void close() {
        if (refresh != null) {
            refresh.cancel(false);
        }
        ready.close();
    }
}
