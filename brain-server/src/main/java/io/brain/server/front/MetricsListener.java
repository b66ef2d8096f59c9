package io.brain.server.front;

import io.brain.server.http.HttpHandler;
import io.brain.server.http.HttpRoutes;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Serves HTTP/1 alone, for those who only look at metrics and health. */
public final class MetricsListener implements AutoCloseable {
    private final List<InetSocketAddress> wanted;
    private final ServerBootstrap bootstrap;
    private final List<Channel> channels = new ArrayList<>();

    /** A listener; {@link #start} makes it listen. */
    public MetricsListener(List<InetSocketAddress> wanted, HttpRoutes routes, EventLoops loops) {
        this.wanted = List.copyOf(wanted);
        this.bootstrap =
                new ServerBootstrap()
                        .group(loops.acceptor(), loops.workers())
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        HttpHandler.install(channel.pipeline(), routes);
                                    }
                                });
    }

    /**
     * Begins to listen.
     *
     * @throws IOException if an address cannot be had
     */
    public void start() throws IOException {
        for (InetSocketAddress address : wanted) {
            ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
            if (!bound.isSuccess()) {
                close();
                throw new IOException("cannot listen on " + address, bound.cause());
            }
            channels.add(bound.channel());
        }
    }

    /** Where it listens. */
    public List<InetSocketAddress> addresses() {
        return channels.stream().map(c -> (InetSocketAddress) c.localAddress()).toList();
    }

    /** Takes no more connections. */
    @Override
    public void close() {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
        channels.clear();
    }
}
