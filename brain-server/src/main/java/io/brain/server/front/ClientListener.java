package io.brain.server.front;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.http.HttpRoutes;
import io.grpc.Server;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Serves clients: gRPC, and HTTP/1 on the same ports. */
public final class ClientListener {
    /** A message may be so many times as long as allowed, and still be refused in etcd's words. */
    private static final int MESSAGE_SLACK = 16;

    /** But no message may take more than this part of the heap. */
    private static final int HEAP_SHARE = 16;

    /** A connection may not have this part of all calls: a hostile one leaves that to others. */
    private static final int CALLS_SHARE_LEFT = 4;

    private static final int HEADER_BYTES_MAX = 1 << 20;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int BACKLOG = 4096;

    private static final int POLL_MILLIS = 10;

    private final EtcdServices services;
    private final Server server;

    /** A listener; {@link #start} makes it listen. */
    public ClientListener(
            BrainConfig config, EtcdServices services, HttpRoutes routes, EventLoops loops) {
        this.services = services;
        List<InetSocketAddress> addresses = config.urls().clients();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(addresses.get(0));
        addresses.stream().skip(1).forEach(builder::addListenAddress);
        builder.channelType(NioServerSocketChannel.class)
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .withChildOption(ChannelOption.TCP_NODELAY, true)
                .protocolNegotiator(new ProtocolSniffer(routes))
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxInboundMessageSize(messageBytesMax(config))
                .maxConcurrentCallsPerConnection(
                        Math.min(config.limits().streamsMax(), callsMax()));
        keepAlive(builder, config.limits().keepAlive());
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        InternalNettyServerBuilder.setTracingEnabled(builder, false);
        services.addTo(builder);
        this.server = builder.build();
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

    /** Takes no more connections or calls, and waits a while for unary calls that run. */
    public void drain(int millisMax) throws InterruptedException {
        server.shutdown();
        for (int i = 0; i < millisMax && services.pendingUnary() > 0; i += POLL_MILLIS) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Waits for calls that run, then ends them; true if none had to be ended. */
    public boolean stop(int seconds) throws InterruptedException {
        boolean drained = server.awaitTermination(seconds, TimeUnit.SECONDS);
        if (!drained) {
            server.shutdownNow();
            server.awaitTermination(1, TimeUnit.SECONDS);
        }
        return drained;
    }

    private static int callsMax() {
        int all = EtcdServices.callsMax();
        return all - all / CALLS_SHARE_LEFT;
    }

    private static int messageBytesMax(BrainConfig config) {
        long allowed = config.limits().messageBytesMax();
        long heap = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        long worded = Math.max(Math.min(MESSAGE_SLACK * allowed, heap), allowed);
        return (int) Math.min(worded, Integer.MAX_VALUE);
    }

    private static void keepAlive(NettyServerBuilder builder, KeepAlive keepAlive) {
        builder.permitKeepAliveTime(keepAlive.minTime().toNanos(), TimeUnit.NANOSECONDS);
        builder.permitKeepAliveWithoutCalls(false);
        if (!keepAlive.interval().isZero() && !keepAlive.timeout().isZero()) {
            builder.keepAliveTime(keepAlive.interval().toNanos(), TimeUnit.NANOSECONDS);
            builder.keepAliveTimeout(keepAlive.timeout().toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
