package io.brain.server.front;

import io.brain.server.etcd.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Stands between HTTP/2's handler and the socket, and counts what passes: HTTP/2 keeps answers to
 * itself until the client's windows and the socket have room for them. Nothing keeps their headers:
 * so a client that takes nothing is not read from either.
 */
final class CountedConnection extends ChannelDuplexHandler implements Connection {
    private final Channel channel;

    /** Written by the connection's thread only. */
    private volatile long takenBytes;

    CountedConnection(Channel channel) {
        this.channel = channel;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        count((ByteBuf) message);
        var unused = ctx.write(message, promise);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        channel.config().setAutoRead(channel.isWritable());
        ctx.fireChannelWritabilityChanged();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void count(ByteBuf message) {
        takenBytes += message.readableBytes();
    }

    @Override
    public long takenBytes() {
        return takenBytes;
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** Closes past HTTP/2's handler, which would wait for its streams to end in peace. */
    @Override
    public void drop() {
        execute(
                () -> {
                    ChannelHandlerContext first = channel.pipeline().firstContext();
                    if (first != null) {
                        var unused = first.close();
                    }
                });
    }
}
