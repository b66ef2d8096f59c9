package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderEndpoint;
import io.brain.server.config.BrainConfig;
import io.brain.server.front.EventLoops;
import io.brain.server.grpc.CallLimits;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.tls.TlsContexts;
import io.grpc.Server;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Serves the other nodes of the cluster on the peer URLs. */
public final class PeerListener implements AutoCloseable {
    /** Bytes of a request that are not in the client's. */
    private static final int MESSAGE_SLACK = 1 << 20;

    private static final int WINDOW_BYTES = 1 << 20;
    private static final int STOP_MILLIS_MAX = 500;

    private final Server server;

    /**
     * Creates a listener; {@link #start} binds it.
     *
     * @param config with peer addresses
     * @param tls used for https URLs
     * @throws IOException if certificates cannot be loaded
     */
    public PeerListener(
            BrainConfig config,
            LeaderEndpoint endpoint,
            TlsContexts tls,
            EventLoops loops,
            PeerMetrics metrics)
            throws IOException {
        List<InetSocketAddress> addresses = config.cluster().peers();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(addresses.get(0));
        addresses.stream().skip(1).forEach(builder::addListenAddress);
        int messageBytesMax =
                Math.min(config.limits().messageBytesMax(), Integer.MAX_VALUE - MESSAGE_SLACK)
                        + MESSAGE_SLACK;
        builder.channelFactory(DeadPeerDetector::server)
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .withChildOption(ChannelOption.TCP_NODELAY, true)
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMessageSize(messageBytesMax)
                .maxConcurrentCallsPerConnection(CallLimits.callsMax())
                .addStreamTracerFactory(new PeerTraffic.Server(metrics))
                .intercept(new LeaderServerInterceptor());
        if (config.cluster().peersOverTls()) {
            builder.sslContext(tls.nodes());
        }
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        InternalNettyServerBuilder.setTracingEnabled(builder, false);
        server = builder.addService(new PeerService(endpoint).define(messageBytesMax)).build();
    }

    /**
     * Binds the addresses.
     *
     * @throws IOException if an address cannot be bound
     */
    public void start() throws IOException {
        server.start();
    }

    /** The bound addresses. */
    public List<InetSocketAddress> addresses() {
        return server.getListenSockets().stream().map(InetSocketAddress.class::cast).toList();
    }

    /** Rejects new calls, and cancels running ones after half a second. */
    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(STOP_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
                server.awaitTermination(STOP_MILLIS_MAX, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException interrupted) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
