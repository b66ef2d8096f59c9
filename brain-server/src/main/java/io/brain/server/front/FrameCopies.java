package io.brain.server.front;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;

/**
 * Copies data of incomplete requests out of the connection's receive buffer. grpc-java keeps each
 * frame of an incomplete message as a slice of that buffer, up to 128 KiB, so that a one-byte frame
 * retains the whole buffer; a copy retains only the data. The last frame of a call completes the
 * message and is not copied. Confined to the connection's thread.
 */
final class FrameCopies extends Http2FrameListenerDecorator {
    FrameCopies(Http2FrameListener grpc) {
        super(grpc);
    }

    @Override
    public int onDataRead(
            ChannelHandlerContext ctx, int stream, ByteBuf data, int padding, boolean last)
            throws Http2Exception {
        if (last || !data.isReadable()) {
            return super.onDataRead(ctx, stream, data, padding, last);
        }
        ByteBuf copy = ctx.alloc().buffer(data.readableBytes());
        try {
            copy.writeBytes(data, data.readerIndex(), data.readableBytes());
            return super.onDataRead(ctx, stream, copy, padding, false);
        } finally {
            copy.release();
        }
    }
}
