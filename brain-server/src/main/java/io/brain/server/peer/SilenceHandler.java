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
 * Closes a connection whose other end is dead or stopped: it has said nothing for three seconds,
 * and was asked twice. grpc-java's own pings come no more often than every ten seconds. What asks
 * is an empty HTTP/2 SETTINGS frame, which must be acknowledged at once.
 */
final class SilenceHandler extends IdleStateHandler {
    private static final int LOOK_MILLIS = 1000;
    private static final int SILENT_LOOKS_MAX = 3;

    private int silentLooks;

    private SilenceHandler() {
        super(LOOK_MILLIS, 0, 0, TimeUnit.MILLISECONDS);
    }

    /** A connection to be, with this handler. */
    static Channel client() {
        Channel channel = new NioSocketChannel();
        channel.pipeline().addLast(new SilenceHandler());
        return channel;
    }

    /** A port to be, whose connections have this handler. */
    static ServerChannel server() {
        ServerChannel channel = new NioServerSocketChannel();
        channel.pipeline().addLast(new Accepted());
        return channel;
    }

    /** Sees each connection before it begins. */
    private static final class Accepted extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object connection) {
            ((Channel) connection).pipeline().addLast(new SilenceHandler());
            ctx.fireChannelRead(connection);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        silentLooks = 0;
        super.channelRead(ctx, message);
    }

    @Override
    protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
        silentLooks++;
        if (silentLooks >= SILENT_LOOKS_MAX) {
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
