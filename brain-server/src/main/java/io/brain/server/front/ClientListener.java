package io.brain.server.front;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.front.Address.Way;
import io.brain.server.http.HttpRoutes;
import io.grpc.Server;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Serves clients: gRPC, and HTTP/1 on the same ports, in the clear and over TLS. */
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

    /** Streams that a connection may reset in a window of time; beyond, it is ended. */
    private static final int RESETS_MAX = 10_000;

    private static final int RESETS_WINDOW_SECONDS = 10;

    private static final int POLL_MILLIS = 10;

    private final EtcdServices services;
    private final List<Group> groups = new ArrayList<>();
    private final List<Server> servers;

    /** Sockets in the file system that are this listener's to remove. */
    private final List<Address> held = new ArrayList<>();

    /** Addresses of one kind, and what serves them. */
    private record Group(List<Address> addresses, Server server) {}

    /**
     * A listener; {@link #start} makes it listen.
     *
     * @param tls null if none of the addresses is for TLS
     * @param routes null if HTTP/1 has addresses of its own
     */
    public ClientListener(
            BrainConfig config,
            SslContext tls,
            EtcdServices services,
            HttpRoutes routes,
            EventLoops loops) {
        this.services = services;
        List<Address> addresses = Address.of(config.urls().clients());
        for (Way way : Way.values()) {
            SslContext used = way == Way.IN_THE_CLEAR ? null : tls;
            ProtocolSniffer sniffer = new ProtocolSniffer(routes, used, way != Way.TLS);
            for (boolean files : new boolean[] {false, true}) {
                List<Address> alike =
                        addresses.stream()
                                .filter(a -> a.way() == way && a.isFile() == files)
                                .toList();
                if (!alike.isEmpty()) {
                    groups.add(new Group(alike, server(alike, config, sniffer, loops)));
                }
            }
        }
        servers = groups.stream().map(Group::server).toList();
    }

    private Server server(
            List<Address> alike, BrainConfig config, ProtocolSniffer sniffer, EventLoops loops) {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(alike.get(0).socket());
        alike.stream().skip(1).forEach(address -> builder.addListenAddress(address.socket()));
        builder.channelType(alike.get(0).channelType())
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .protocolNegotiator(sniffer)
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxInboundMessageSize(messageBytesMax(config))
                .maxRstFramesPerWindow(RESETS_MAX, RESETS_WINDOW_SECONDS)
                .maxConcurrentCallsPerConnection(
                        Math.min(config.limits().streamsMax(), callsMax()));
        if (!alike.get(0).isFile()) {
            builder.withChildOption(ChannelOption.TCP_NODELAY, true);
        }
        keepAlive(builder, config.limits().keepAlive());
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        InternalNettyServerBuilder.setTracingEnabled(builder, false);
        services.addTo(builder);
        return builder.build();
    }

    /**
     * Begins to listen.
     *
     * @throws IOException if an address cannot be had
     */
    public void start() throws IOException {
        for (Group group : groups) {
            for (Address address : group.addresses()) {
                address.prepare();
            }
            try {
                group.server().start();
                held.addAll(group.addresses());
            } catch (IOException taken) {
                String where = taken.getMessage().replaceFirst("^Failed to bind to address ", "");
                throw Address.refused(where, taken);
            }
        }
    }

    /** Where it listens. */
    public List<SocketAddress> sockets() {
        List<SocketAddress> sockets = new ArrayList<>();
        servers.forEach(server -> sockets.addAll(server.getListenSockets()));
        return sockets;
    }

    /** Where it listens, but for sockets in the file system. */
    public List<InetSocketAddress> addresses() {
        return sockets().stream()
                .filter(InetSocketAddress.class::isInstance)
                .map(InetSocketAddress.class::cast)
                .toList();
    }

    /** Takes no more connections or calls, and waits a while for unary calls that run. */
    public void drain(int millisMax) throws InterruptedException {
        servers.forEach(Server::shutdown);
        for (int i = 0; i < millisMax && services.pendingUnary() > 0; i += POLL_MILLIS) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * Waits for calls that run, then ends them; true if none had to be ended.
     *
     * @throws IOException if a socket in the file system cannot be removed
     */
    public boolean stop(int seconds) throws InterruptedException, IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        boolean drained = true;
        for (Server server : servers) {
            drained &= server.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        if (!drained) {
            servers.forEach(Server::shutdownNow);
            for (Server server : servers) {
                server.awaitTermination(1, TimeUnit.SECONDS);
            }
        }
        for (Address address : held) {
            address.clear();
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
