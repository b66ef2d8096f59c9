package io.brain.server.front;

import io.brain.backend.fair.Tenant;
import io.brain.server.grpc.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Sits between the HTTP/2 handler and the socket, and counts written bytes: the HTTP/2 handler
 * buffers data until the flow-control windows and the socket have room. It does not buffer headers,
 * so reading stops while the socket is not writable.
 */
final class CountedConnection extends ChannelDuplexHandler implements Connection {
    private final Channel channel;
    private final Tenant tenant;

    /** Written by the connection's thread only. */
    private volatile long takenBytes;

    CountedConnection(Channel channel) {
        this.channel = channel;
        this.tenant = Tenant.connection(Connection.nameOf(channel.remoteAddress()), channel.id());
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
    public Tenant tenant() {
        return tenant;
    }

    @Override
    public long takenBytes() {
        return takenBytes;
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** Closes without the HTTP/2 handler, which would wait for its streams to complete. */
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
