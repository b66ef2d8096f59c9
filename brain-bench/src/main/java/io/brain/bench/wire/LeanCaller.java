package io.brain.bench.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * A connection that speaks just enough HTTP/2 for unary calls, for a few microseconds each: the
 * client that is cheap enough not to be the limit. When it is lost it stays lost. See {@link
 * LeanConnection} for what it does not do.
 */
public final class LeanCaller implements Caller {

    private static final int CONNECT_MILLIS_MAX = 5_000;

    private final LeanConnection connection;
    private final ChannelFuture connected;

    /** A connection to a port of this machine, which is made at once. */
    public LeanCaller(Loop loop, int port) {
        this.connection = new LeanConnection("127.0.0.1:" + port);
        this.connected =
                new Bootstrap()
                        .group(loop.group())
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .handler(connection)
                        .connect("127.0.0.1", port)
                        .awaitUninterruptibly();
    }

    @Override
    public void call(Rpc rpc, byte[] request, Reply reply) {
        if (connected.isSuccess()) {
            connection.call(rpc, request, reply);
        } else {
            reply.failed("no connection: " + connected.cause());
        }
    }

    @Override
    public void close() {
        connected.channel().close().awaitUninterruptibly();
    }
}
