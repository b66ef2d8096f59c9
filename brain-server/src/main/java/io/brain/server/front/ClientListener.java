package io.brain.server.front;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.BrainConfig.KeepAlive;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.front.Address.Encryption;
import io.brain.server.grpc.CallLimits;
import io.brain.server.grpc.Gzip;
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

/** Serves gRPC, and HTTP/1 on the same ports, with and without TLS. */
public final class ClientListener {
    /**
     * Factor above the limit up to which a message is read, so that it is refused with etcd's
     * error.
     */
    private static final int MESSAGE_SLACK = 16;

    /** Limit of a message as a fraction of the heap: 1/16. */
    private static final int HEAP_SHARE = 16;

    /** Fraction of all calls that no single connection can occupy: 1/4. */
    private static final int CALLS_SHARE_LEFT = 4;

    private static final int HEADER_BYTES_MAX = 1 << 20;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int BACKLOG = 4096;

    /** Limit of stream resets per window; above it the connection is closed. */
    private static final int RESETS_MAX = 10_000;

    private static final int RESETS_WINDOW_SECONDS = 10;

    private static final int POLL_MILLIS = 10;

    private final EtcdServices services;
    private final List<Group> groups = new ArrayList<>();
    private final List<Server> servers;

    /** Unix sockets that this listener removes on close. */
    private final List<Address> held = new ArrayList<>();

    /** Addresses of the same type, and their server. */
    private record Group(List<Address> addresses, Server server) {}

    /**
     * Creates a listener; {@link #start} binds it.
     *
     * @param tls null if no address uses TLS
     * @param routes null if HTTP/1 has separate addresses
     */
    public ClientListener(
            BrainConfig config,
            SslContext tls,
            EtcdServices services,
            HttpRoutes routes,
            EventLoops loops) {
        this.services = services;
        List<Address> addresses = Address.of(config.urls().clients());
        for (Encryption encryption : Encryption.values()) {
            SslContext used = encryption == Encryption.NONE ? null : tls;
            ProtocolSniffer sniffer =
                    new ProtocolSniffer(routes, used, encryption != Encryption.TLS);
            for (boolean files : new boolean[] {false, true}) {
                List<Address> similar =
                        addresses.stream()
                                .filter(a -> a.encryption() == encryption && a.isFile() == files)
                                .toList();
                if (!similar.isEmpty()) {
                    groups.add(new Group(similar, server(similar, config, sniffer, loops)));
                }
            }
        }
        servers = groups.stream().map(Group::server).toList();
    }

    private Server server(
            List<Address> similar, BrainConfig config, ProtocolSniffer sniffer, EventLoops loops) {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(similar.get(0).socket());
        similar.stream().skip(1).forEach(address -> builder.addListenAddress(address.socket()));
        builder.channelType(similar.get(0).channelType())
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .protocolNegotiator(sniffer)
                .directExecutor()
                .decompressorRegistry(Gzip.REGISTRY)
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxInboundMessageSize(messageBytesMax(config))
                .maxRstFramesPerWindow(RESETS_MAX, RESETS_WINDOW_SECONDS)
                .maxConcurrentCallsPerConnection(
                        Math.min(config.limits().streamsMax(), callsMax()));
        if (!similar.get(0).isFile()) {
            builder.withChildOption(ChannelOption.TCP_NODELAY, true);
        }
        keepAlive(builder, config.limits().keepAlive());
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        InternalNettyServerBuilder.setTracingEnabled(builder, false);
        services.addTo(builder);
        return builder.build();
    }

    /**
     * Binds the addresses.
     *
     * @throws IOException if an address cannot be bound
     */
    public void start() throws IOException {
        for (Group group : groups) {
            for (Address address : group.addresses()) {
                address.prepare();
            }
            try {
                group.server().start();
                held.addAll(group.addresses());
            } catch (IOException failure) {
                String where = failure.getMessage().replaceFirst("^Failed to bind to address ", "");
                throw Address.refused(where, failure);
            }
        }
    }

    /** The bound addresses. */
    public List<SocketAddress> sockets() {
        List<SocketAddress> sockets = new ArrayList<>();
        servers.forEach(server -> sockets.addAll(server.getListenSockets()));
        return sockets;
    }

    /** The bound TCP addresses. */
    public List<InetSocketAddress> addresses() {
        return sockets().stream()
                .filter(InetSocketAddress.class::isInstance)
                .map(InetSocketAddress.class::cast)
                .toList();
    }

    /** Rejects new connections and calls, and waits for running unary calls. */
    public void drain(int millisMax) throws InterruptedException {
        servers.forEach(Server::shutdown);
        for (int i = 0; i < millisMax && services.pendingUnary() > 0; i += POLL_MILLIS) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * Waits for running calls, then cancels them; returns true if none was cancelled.
     *
     * @throws IOException if a Unix socket cannot be removed
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
        int all = CallLimits.callsMax();
        return all - all / CALLS_SHARE_LEFT;
    }

    private static int messageBytesMax(BrainConfig config) {
        long allowed = config.limits().messageBytesMax();
        long heap = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        long readable = Math.max(Math.min(MESSAGE_SLACK * allowed, heap), allowed);
        return (int) Math.min(readable, Integer.MAX_VALUE);
    }

    private static void keepAlive(NettyServerBuilder builder, KeepAlive keepAlive) {
        builder.permitKeepAliveTime(keepAlive.minTime().toNanos(), TimeUnit.NANOSECONDS);
        builder.permitKeepAliveWithoutCalls(false);
        builder.keepAliveTime(keepAlive.interval().toNanos(), TimeUnit.NANOSECONDS);
        builder.keepAliveTimeout(keepAlive.timeout().toNanos(), TimeUnit.NANOSECONDS);
    }
}
