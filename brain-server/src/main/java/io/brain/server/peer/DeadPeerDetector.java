package io.brain.server.peer;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection whose peer is dead or stopped: nothing received for three seconds, despite
 * two probes. A probe is an empty HTTP/2 SETTINGS frame, which the peer must acknowledge at once;
 * grpc-java's own pings are limited to one every ten seconds.
 */
final class DeadPeerDetector extends IdleStateHandler {
    private static final int INTERVAL_MILLIS = 1000;
    private static final int SILENT_INTERVALS_MAX = 3;

    private int silentIntervals;

    private DeadPeerDetector() {
        super(INTERVAL_MILLIS, 0, 0, TimeUnit.MILLISECONDS);
    }

    /** A client channel with this handler. */
    static Channel client() {
        Channel channel = new NioSocketChannel();
        channel.pipeline().addLast(new DeadPeerDetector());
        return channel;
    }

    /** A server channel that adds this handler to each accepted connection. */
    static ServerChannel server() {
        ServerChannel channel = new NioServerSocketChannel();
        channel.pipeline().addLast(new Accepted());
        return channel;
    }

    /** Adds the handler to accepted connections. */
    private static final class Accepted extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object connection) {
            ((Channel) connection).pipeline().addLast(new DeadPeerDetector());
            ctx.fireChannelRead(connection);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        silentIntervals = 0;
        super.channelRead(ctx, message);
    }

    @Override
    protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
        silentIntervals++;
        if (silentIntervals >= SILENT_INTERVALS_MAX) {
            var unused = ctx.close();
            return;
        }
        Http2ConnectionHandler http2 = ctx.pipeline().get(Http2ConnectionHandler.class);
        if (http2 != null) {
            ChannelHandlerContext at = ctx.pipeline().context(http2);
            var unused = http2.encoder().writeSettings(at, new Http2Settings(), at.newPromise());
            at.flush();
        }
    }
}
