package io.brain.conformance.script;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** HTTP/2 without a gRPC library: requests that none of them would send. */
@SuppressWarnings("FutureReturnValueIgnored") // what fails to be sent shows in the answer
final class Http2 {

    private static final long ANSWER_SECONDS_MAX = 20;
    private static final long PING_MILLIS = 20;

    /** Of an answer's headers, what a gRPC client looks at. */
    private static final List<String> SHOWN =
            List.of(":status", "content-type", "grpc-status", "grpc-message");

    private Http2() {}

    /**
     * Sends one request on a connection of its own.
     *
     * @param headers changes to the headers of a well-formed call: "name: value" sets one, "name"
     *     takes one away
     * @param message the gRPC message
     * @return the headers and trailers of the answer, whether it had data, or how it broke off
     */
    static String call(int port, String path, List<String> headers, byte[] message)
            throws InterruptedException {
        CompletableFuture<String> answer = new CompletableFuture<>();
        return connected(
                port,
                answer,
                connection -> {
                    Http2StreamChannel stream =
                            new Http2StreamChannelBootstrap(connection)
                                    .handler(new AnswerHandler(answer))
                                    .open()
                                    .sync()
                                    .getNow();
                    stream.write(new DefaultHttp2HeadersFrame(headers(path, headers)));
                    stream.writeAndFlush(
                            new DefaultHttp2DataFrame(
                                    Unpooled.buffer()
                                            .writeByte(0)
                                            .writeInt(message.length)
                                            .writeBytes(message),
                                    true));
                });
    }

    /** Sends pings one after another; how the server ends the connection. */
    static String pings(int port, int count) throws InterruptedException {
        CompletableFuture<String> answer = new CompletableFuture<>();
        return connected(
                port,
                answer,
                connection -> {
                    for (int i = 0; i < count && connection.isActive(); i++) {
                        connection.writeAndFlush(new DefaultHttp2PingFrame(i));
                        Thread.sleep(PING_MILLIS);
                    }
                });
    }

    private interface Action {
        void on(Channel connection) throws InterruptedException;
    }

    private static String connected(int port, CompletableFuture<String> answer, Action action)
            throws InterruptedException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Channel connection =
                    new Bootstrap()
                            .group(loop)
                            .channel(NioSocketChannel.class)
                            .handler(new Connection(answer))
                            .connect("127.0.0.1", port)
                            .sync()
                            .channel();
            action.on(connection);
            return answer.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "no end";
        } catch (ExecutionException e) {
            throw new IllegalStateException("never exceptional", e);
        } finally {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    private static Http2Headers headers(String path, List<String> changes) {
        Http2Headers headers =
                new DefaultHttp2Headers(false)
                        .method("POST")
                        .scheme("http")
                        .authority("127.0.0.1")
                        .path(path)
                        .set("content-type", "application/grpc")
                        .set("te", "trailers");
        for (String change : changes) {
            int split = change.indexOf(": ");
            if (split < 0) {
                headers.remove(change);
            } else {
                headers.set(change.substring(0, split), change.substring(split + 2));
            }
        }
        return headers;
    }

    private static final class Connection extends ChannelInitializer<Channel> {
        private final CompletableFuture<String> answer;

        private Connection(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline()
                    .addLast(Http2FrameCodecBuilder.forClient().validateHeaders(false).build())
                    .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()))
                    .addLast(
                            new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelRead(ChannelHandlerContext ctx, Object frame) {
                                    if (frame instanceof Http2GoAwayFrame away) {
                                        answer.complete(
                                                "go away "
                                                        + away.errorCode()
                                                        + " "
                                                        + away.content()
                                                                .toString(StandardCharsets.UTF_8));
                                    }
                                    ReferenceCountUtil.release(frame);
                                }

                                @Override
                                public void channelInactive(ChannelHandlerContext ctx) {
                                    answer.complete("the connection is closed");
                                }
                            });
        }
    }

    private static final class AnswerHandler extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<String> answer;
        private final StringBuilder seen = new StringBuilder();
        private boolean data;

        private AnswerHandler(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            if (frame instanceof Http2HeadersFrame headers) {
                for (String name : SHOWN) {
                    CharSequence value = headers.headers().get(name);
                    if (value != null && value.length() > 0) {
                        seen.append(name).append('=').append(shown(value)).append(' ');
                    }
                }
                end(headers.isEndStream());
            } else if (frame instanceof Http2DataFrame some) {
                if (!data && some.content().isReadable()) {
                    data = true;
                    seen.append("(data) ");
                }
                end(some.isEndStream());
            } else if (frame instanceof Http2ResetFrame reset) {
                seen.append("reset ").append(reset.errorCode());
                end(true);
            }
            ReferenceCountUtil.release(frame);
        }

        /** Without the content's subtype, and with one kind of space after a library's name. */
        private static String shown(CharSequence value) {
            return value.toString()
                    .replaceFirst("^(application/grpc)[+;].*", "$1")
                    .replace("%C2%A0", " ");
        }

        private void end(boolean ended) {
            if (ended) {
                answer.complete(seen.toString());
            }
        }
    }
}
