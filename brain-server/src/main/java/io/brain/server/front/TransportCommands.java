package io.brain.server.front;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;

/**
 * Drops grpc-java's messages to a connection that has become HTTP/1, such as a handshake timeout.
 * On shutdown the connection is closed like any other.
 */
final class TransportCommands extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
            throws Exception {
        if (message instanceof ByteBuf) {
            super.write(ctx, message, promise);
        } else {
            ReferenceCountUtil.release(message);
            promise.setSuccess();
        }
    }
}
