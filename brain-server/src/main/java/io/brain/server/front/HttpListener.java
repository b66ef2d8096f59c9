package io.brain.server.front;

import io.brain.server.config.BrainConfig.Endpoint;
import io.brain.server.http.HttpHandler;
import io.brain.server.http.HttpRoutes;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Serves HTTP/1 only: metrics and health. */
public final class HttpListener implements AutoCloseable {
    private final List<Address> wanted;
    private final SslContext tls;
    private volatile HttpRoutes routes;
    private final EventLoops loops;
    private final List<Channel> channels = new ArrayList<>();

    /** Unix sockets that this listener removes on close. */
    private final List<Address> held = new ArrayList<>();

    /**
     * Creates a listener; {@link #start} binds it.
     *
     * @param tls null if no address uses TLS
     */
    public HttpListener(
            List<Endpoint> wanted, SslContext tls, HttpRoutes routes, EventLoops loops) {
        this.wanted = Address.of(wanted);
        this.tls = tls;
        this.routes = routes;
        this.loops = loops;
    }

    /** Replaces the routes for new connections. Any thread. */
    public void serve(HttpRoutes other) {
        routes = other;
    }

    /**
     * Binds the addresses.
     *
     * @throws IOException if an address cannot be bound
     */
    public void start() throws IOException {
        for (Address address : wanted) {
            address.prepare();
            ChannelFuture bound = bootstrap(address).bind(address.socket()).awaitUninterruptibly();
            if (!bound.isSuccess()) {
                close();
                throw Address.refused(address.socket().toString(), bound.cause());
            }
            channels.add(bound.channel());
            held.add(address);
        }
    }

    private ServerBootstrap bootstrap(Address address) {
        return new ServerBootstrap()
                .group(loops.acceptor(), loops.workers())
                .channel(address.channelType())
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                encrypt(channel, address.encryption());
                                HttpHandler.install(channel.pipeline(), routes);
                            }
                        });
    }

    private void encrypt(Channel channel, Address.Encryption encryption) {
        switch (encryption) {
            case NONE -> {}
            case TLS -> channel.pipeline().addLast(tls.newHandler(channel.alloc()));
            case OPTIONAL -> channel.pipeline().addLast(new OptionalSslHandler(tls));
        }
    }

    /** The bound TCP addresses. */
    public List<InetSocketAddress> addresses() {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (Channel channel : channels) {
            SocketAddress local = channel.localAddress();
            if (local instanceof InetSocketAddress internet) {
                addresses.add(internet);
            }
        }
        return addresses;
    }

    /** Rejects new connections. */
    @Override
    public void close() throws IOException {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
        channels.clear();
        for (Address address : held) {
            address.clear();
        }
        held.clear();
    }
}
