package io.brain.bench.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * A connection with just enough HTTP/2 for unary calls, at a few microseconds each, so that the
 * client is not the bottleneck. It does not reconnect. Limits: {@link LeanConnection}.
 */
public final class LeanCaller implements Caller {

    private static final int CONNECT_MILLIS_MAX = 5_000;

    private final LeanConnection connection;
    private final ChannelFuture connected;

    /**
     * Connects to a local port.
     *
     * @param token sent with each call; empty for none
     */
    public LeanCaller(Loop loop, int port, String token) {
        this.connection = new LeanConnection("127.0.0.1:" + port, token);
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
