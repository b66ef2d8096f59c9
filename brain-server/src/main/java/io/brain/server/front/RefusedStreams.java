package io.brain.server.front;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Lets a connection live on after a request with malformed headers (RFC 9113, 8.1.1). netty resets
 * its stream without having created it, and takes further frames of it for an error of the
 * connection; so the stream is created, and closed, here. Confined to the connection's thread.
 */
final class RefusedStreams extends ChannelOutboundHandlerAdapter {
    private static final int RESET_BYTES = 13;
    private static final int TYPE_AT = 3;
    private static final int STREAM_AT = 5;

    private final Http2Connection connection;

    RefusedStreams(Http2Connection connection) {
        this.connection = connection;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
            throws Exception {
        if (message instanceof ByteBuf frame && frame.readableBytes() == RESET_BYTES) {
            int start = frame.readerIndex();
            if (frame.getByte(start + TYPE_AT) == Http2FrameTypes.RST_STREAM) {
                close(frame.getInt(start + STREAM_AT));
            }
        }
        super.write(ctx, message, promise);
    }

    private void close(int stream) {
        var clients = connection.remote();
        if (clients.isValidStreamId(stream) && stream > clients.lastStreamCreated()) {
            try {
                clients.createStream(stream, true).close();
            } catch (Http2Exception refused) {
                // Then further frames of the stream end the connection.
            }
        }
    }
}
