package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderSide;
import io.brain.server.config.BrainConfig;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.front.EventLoops;
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

/** Serves the other nodes of a cluster, and nobody else, on the peer URLs. */
public final class PeerListener implements AutoCloseable {
    /** What a request may have above a client's. */
    private static final int MESSAGE_SLACK = 1 << 20;

    private static final int WINDOW_BYTES = 1 << 20;
    private static final int STOP_MILLIS_MAX = 500;

    private final Server server;

    /**
     * A listener; {@link #start} makes it listen.
     *
     * @param config its cluster must have addresses for peers
     * @param tls used if the cluster's peer URLs are https
     * @param metrics counts what comes and goes
     * @throws IOException if the certificates cannot be used
     */
    public PeerListener(
            BrainConfig config,
            LeaderSide side,
            TlsContexts tls,
            EventLoops loops,
            PeerMetrics metrics)
            throws IOException {
        List<InetSocketAddress> addresses = config.cluster().peers();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(addresses.get(0));
        addresses.stream().skip(1).forEach(builder::addListenAddress);
        int messageBytesMax =
                Math.min(config.limits().messageBytesMax(), Integer.MAX_VALUE - MESSAGE_SLACK);
        builder.channelFactory(DeadPeerDetector::server)
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .withChildOption(ChannelOption.TCP_NODELAY, true)
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMessageSize(messageBytesMax + MESSAGE_SLACK)
                .maxConcurrentCallsPerConnection(EtcdServices.callsMax())
                .addStreamTracerFactory(new CountedService(metrics));
        if (config.cluster().peersOverTls()) {
            builder.sslContext(tls.nodes());
        }
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        InternalNettyServerBuilder.setTracingEnabled(builder, false);
        server = builder.addService(new PeerService(side).define()).build();
    }

    /**
     * Begins to listen.
     *
     * @throws IOException if an address cannot be had
     */
    public void start() throws IOException {
        server.start();
    }

    /** Where it listens. */
    public List<InetSocketAddress> addresses() {
        return server.getListenSockets().stream().map(InetSocketAddress.class::cast).toList();
    }

    /** Gives calls that run half a second, then ends them; takes no new ones meanwhile. */
    @Override
    public void close() {
        server.shutdown();
        if (!isTerminated()) {
            server.shutdownNow();
            isTerminated();
        }
    }

    /** Waits a while; an interrupted thread does not wait, and stays interrupted. */
    private boolean isTerminated() {
        try {
            return server.awaitTermination(STOP_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
