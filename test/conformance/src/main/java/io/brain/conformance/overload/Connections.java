package io.brain.conformance.overload;

import com.google.protobuf.MessageLite;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Many cheap HTTP/2 connections on one thread, which keep nothing of what they read. Thread-safe;
 * closing it closes all of them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails to be sent shows in the answer
final class Connections implements AutoCloseable {

    private static final int WINDOW_BYTES = 1 << 20;
    private static final int WINDOW_AT_START = 65_535;

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final int port;

    Connections(int port) {
        this.port = port;
    }

    /** A connection that reads as fast as it can. */
    Channel open() throws InterruptedException {
        return connect(WINDOW_BYTES, true);
    }

    /** A connection that lets the server send two gigabytes and never reads a byte. */
    Channel openNonReading() throws InterruptedException {
        Channel channel = connect(Integer.MAX_VALUE, false);
        channel.config().setAutoRead(false);
        return channel;
    }

    /**
     * Begins a call.
     *
     * @param path such as {@code /etcdserverpb.KV/Range}
     * @param answers is handed all that comes, on this class's thread
     */
    static Http2StreamChannel call(Channel connection, String path, Answers answers)
            throws InterruptedException {
        Http2StreamChannel stream =
                new Http2StreamChannelBootstrap(connection).handler(answers).open().sync().getNow();
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(headers(path)));
        return stream;
    }

    /**
     * @param isLast true when the client's half of the stream ends with it
     */
    static void send(Http2StreamChannel stream, MessageLite message, boolean isLast) {
        byte[] bytes = message.toByteArray();
        ByteBuf data = Unpooled.buffer(5 + bytes.length).writeByte(0);
        data.writeInt(bytes.length).writeBytes(bytes);
        stream.writeAndFlush(new DefaultHttp2DataFrame(data, isLast));
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Channel connect(int window, boolean reads) throws InterruptedException {
        Http2FrameCodec codec =
                Http2FrameCodecBuilder.forClient()
                        .validateHeaders(false)
                        .initialSettings(new Http2Settings().initialWindowSize(window))
                        .build();
        Bootstrap bootstrap =
                new Bootstrap()
                        .group(loop)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.SO_RCVBUF, reads ? WINDOW_BYTES : 4_096)
                        .handler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        channel.pipeline()
                                                .addLast(codec)
                                                .addLast(new Http2MultiplexHandler(new Dropped()))
                                                .addLast(new Dropped());
                                    }
                                });
        Channel channel = bootstrap.connect("127.0.0.1", port).sync().channel();
        channel.eventLoop().submit(() -> widen(codec.connection(), window)).sync();
        channel.flush();
        return channel;
    }

    private static void widen(Http2Connection connection, int window) {
        try {
            connection
                    .local()
                    .flowController()
                    .incrementWindowSize(connection.connectionStream(), window - WINDOW_AT_START);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Http2Headers headers(String path) {
        return new DefaultHttp2Headers(false)
                .method("POST")
                .scheme("http")
                .authority("127.0.0.1")
                .path(path)
                .set("content-type", "application/grpc")
                .set("te", "trailers");
    }

    /** What belongs to no call. */
    private static final class Dropped extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            ReferenceCountUtil.release(frame);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
