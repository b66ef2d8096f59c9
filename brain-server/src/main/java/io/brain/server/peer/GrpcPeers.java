package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.model.Futures;
import io.brain.proto.peer.Nothing;
import io.brain.server.front.EventLoops;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.tls.TlsContexts;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ways to the other nodes over gRPC: to http URLs in the clear, to https ones over TLS. Links live
 * on the event loops' threads and must be closed before those.
 */
public final class GrpcPeers implements Peers {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcPeers.class);

    private static final int CONNECT_MILLIS_MAX = 2000;
    private static final int PING_MILLIS_MAX = 1000;

    /** The most that a stream which is not read holds in memory unread. */
    private static final int WINDOW_BYTES = 1 << 20;

    /** More than a revision that the leader has in memory, and those that it sends with it. */
    private static final int UPDATE_BYTES_MAX = 256 << 20;

    private final EventLoops loops;
    private final SslContext tls;
    private final Duration timeout;
    private final PeerMetrics metrics;
    private final LongSupplier self;
    private final AtomicReference<String> told = new AtomicReference<>();

    /**
     * Ways to other nodes.
     *
     * @param timeout of a call
     * @param metrics counts what comes and goes
     * @param self this node's member id; 0 while it has none
     * @throws IOException if the certificates cannot be used
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
        // An answer is bounded by the leader's budget for them.
        PeerRoute calls = route(leader, urls, Integer.MAX_VALUE, peer);
        return new GrpcLeaderLink(
                calls,
                route(leader, urls, UPDATE_BYTES_MAX, peer),
                new RttProbe(calls, peer, loops.workers().next()),
                timeout);
    }

    @Override
    public CompletableFuture<Boolean> reaches(LeaderId member, List<String> urls) {
        PeerRoute route = route(member, urls, UPDATE_BYTES_MAX, metrics.of(member.memberId()));
        CompletableFuture<Boolean> reached = new CompletableFuture<>();
        Futures.onEnd(
                new OutgoingCall<>(
                                route,
                                PeerMethods.PING,
                                Nothing.getDefaultInstance(),
                                answer -> answer,
                                Deadline.after(PING_MILLIS_MAX, TimeUnit.MILLISECONDS))
                        .start(),
                (answer, failure) -> {
                    route.close();
                    reached.complete(failure == null);
                });
        return reached;
    }

    private PeerRoute route(
            LeaderId leader, List<String> urls, int messageBytesMax, PeerMetrics.Peer peer) {
        CountedChannel counted = new CountedChannel(peer, self);
        LeaderCheck check = new LeaderCheck(leader);
        List<ManagedChannel> channels = new ArrayList<>();
        for (String url : urls) {
            try {
                channels.add(channel(URI.create(url), messageBytesMax, counted, check));
            } catch (IllegalArgumentException malformed) {
                LOG.warn("the leader's peer URL {}: {}", url, malformed.getMessage());
            }
        }
        return new PeerRoute(channels, peer, told);
    }

    private ManagedChannel channel(
            URI url, int messageBytesMax, CountedChannel counted, LeaderCheck check) {
        if (url.getHost() == null || url.getPort() < 0) {
            throw new IllegalArgumentException("no host or no port");
        }
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(url.getHost(), url.getPort())
                        .eventLoopGroup(loops.workers())
                        .channelFactory(DeadPeerDetector::client)
                        .withOption(ChannelOption.TCP_NODELAY, true)
                        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .directExecutor()
                        .disableRetry()
                        .disableServiceConfigLookUp()
                        .proxyDetector(address -> null)
                        .flowControlWindow(WINDOW_BYTES)
                        .maxInboundMessageSize(messageBytesMax)
                        .intercept(counted, check);
        if ("https".equals(url.getScheme())) {
            builder.sslContext(tls);
        } else {
            builder.usePlaintext();
        }
        return builder.build();
    }
}
