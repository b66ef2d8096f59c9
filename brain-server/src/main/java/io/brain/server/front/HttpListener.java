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

/** Serves HTTP/1 alone, for those who only look at metrics and health. */
public final class HttpListener implements AutoCloseable {
    private final List<Address> wanted;
    private final SslContext tls;
    private volatile HttpRoutes routes;
    private final EventLoops loops;
    private final List<Channel> channels = new ArrayList<>();

    /** Sockets in the file system that are this listener's to remove. */
    private final List<Address> held = new ArrayList<>();

    /**
     * A listener; {@link #start} makes it listen.
     *
     * @param tls null if none of the addresses is for TLS
     */
    public HttpListener(
            List<Endpoint> wanted, SslContext tls, HttpRoutes routes, EventLoops loops) {
        this.wanted = Address.of(wanted);
        this.tls = tls;
        this.routes = routes;
        this.loops = loops;
    }

    /** Serves other pages from now on, on connections that come. Any thread. */
    public void serve(HttpRoutes other) {
        routes = other;
    }

    /**
     * Begins to listen.
     *
     * @throws IOException if an address cannot be had
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
                                encrypt(channel, address.way());
                                HttpHandler.install(channel.pipeline(), routes);
                            }
                        });
    }

    private void encrypt(Channel channel, Address.Way way) {
        switch (way) {
            case IN_THE_CLEAR -> {}
            case TLS -> channel.pipeline().addLast(tls.newHandler(channel.alloc()));
            case EITHER -> channel.pipeline().addLast(new OptionalSslHandler(tls));
        }
    }

    /** Where it listens, but for sockets in the file system. */
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

    /** Takes no more connections. */
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
