package io.brain.server.front;

import io.brain.server.grpc.Connection;
import io.brain.server.http.HttpHandler;
import io.brain.server.http.HttpRoutes;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator.ProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.InternalProtocolNegotiators.ProtocolNegotiationHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/**
 * Detects gRPC or HTTP/1 by the first bytes of a connection: the HTTP/2 preface, or anything else.
 * For HTTP/1 it replaces grpc-java's handlers in the pipeline. With TLS it inspects the decrypted
 * bytes.
 */
final class ProtocolSniffer implements ProtocolNegotiator {
    /** Prefix of the HTTP/2 preface. */
    private static final byte[] HTTP2 = "PRI * HTTP/2".getBytes(StandardCharsets.US_ASCII);

    /** First byte of a TLS handshake. */
    private static final byte HANDSHAKE = 0x16;

    private final ProtocolNegotiator plaintext = InternalProtocolNegotiators.serverPlaintext();
    private final HttpRoutes routes;
    private final SslContext tls;
    private final boolean plaintextAllowed;

    /**
     * Creates a sniffer for a group of addresses.
     *
     * @param routes null for gRPC only
     * @param tls null without TLS
     * @param plaintextAllowed whether connections without TLS are served; with TLS, the first byte
     *     decides
     */
    ProtocolSniffer(HttpRoutes routes, SslContext tls, boolean plaintextAllowed) {
        this.routes = routes;
        this.tls = tls;
        this.plaintextAllowed = plaintextAllowed;
    }

    @Override
    public AsciiString scheme() {
        return plaintext.scheme();
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpcHandler) {
        var frames = grpcHandler.decoder();
        frames.frameListener(new FrameCopies(frames.frameListener()));
        ChannelHandler grpc = plaintext.newHandler(grpcHandler);
        return new Sniffer(grpc, grpcHandler);
    }

    @Override
    public void close() {
        plaintext.close();
    }

    /** A connection before its protocol is known. */
    private final class Sniffer extends ProtocolNegotiationHandler {
        /** Null while the connection is plaintext. */
        private SslHandler encryption;

        private final GrpcHttp2ConnectionHandler http2;
        private ByteBuf received = Unpooled.EMPTY_BUFFER;

        Sniffer(ChannelHandler grpc, GrpcHttp2ConnectionHandler http2) {
            super(grpc, "sniff", http2.getNegotiationLogger());
            this.http2 = http2;
        }

        @Override
        protected void handlerAdded0(ChannelHandlerContext ctx) {
            if (!plaintextAllowed) {
                encrypt(ctx);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf more = (ByteBuf) message;
            received = received.isReadable() ? Unpooled.wrappedBuffer(received, more) : more;
            if (tls != null
                    && encryption == null
                    && received.getByte(received.readerIndex()) == HANDSHAKE) {
                ByteBuf first = take();
                encrypt(ctx);
                ctx.pipeline().fireChannelRead(first);
                return;
            }
            int known = Math.min(received.readableBytes(), HTTP2.length);
            for (int i = 0; i < known; i++) {
                if (received.getByte(received.readerIndex() + i) != HTTP2[i]) {
                    switchToHttp1(ctx);
                    return;
                }
            }
            if (known == HTTP2.length) {
                switchToHttp2(ctx);
            }
        }

        private void encrypt(ChannelHandlerContext ctx) {
            encryption = tls.newHandler(ctx.alloc());
            ctx.pipeline().addBefore(ctx.name(), null, encryption);
        }

        private void switchToHttp2(ChannelHandlerContext ctx) {
            ByteBuf first = take();
            CountedConnection connection = new CountedConnection(ctx.channel());
            ctx.pipeline().addFirst(connection);
            publishAttributes(connection);
            ctx.pipeline().addBefore(ctx.name(), null, new RefusedStreams(http2.connection()));
            fireProtocolNegotiationEvent(ctx);
            // The next handler has replaced this one.
            ctx.fireChannelRead(first);
        }

        private void publishAttributes(Connection connection) {
            var event = getProtocolNegotiationEvent();
            Attributes known = InternalProtocolNegotiationEvent.getAttributes(event);
            Attributes.Builder all = known.toBuilder().set(Connection.KEY, connection);
            if (encryption != null) {
                all.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, encryption.engine().getSession());
            }
            replaceProtocolNegotiationEvent(
                    InternalProtocolNegotiationEvent.withAttributes(event, all.build()));
        }

        private void switchToHttp1(ChannelHandlerContext ctx) {
            if (routes == null) {
                var unused = ctx.close();
                return;
            }
            ChannelPipeline pipeline = ctx.pipeline();
            ByteBuf first = take();
            while (pipeline.last() != null && pipeline.last() != encryption) {
                pipeline.removeLast();
            }
            pipeline.addLast(new TransportCommands());
            HttpHandler.install(pipeline, routes);
            if (encryption == null) {
                pipeline.fireChannelRead(first);
            } else {
                pipeline.context(encryption).fireChannelRead(first);
            }
        }

        private ByteBuf take() {
            ByteBuf first = received;
            received = Unpooled.EMPTY_BUFFER;
            return first;
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            received.release();
        }
    }

    /**
     * Copies data of incomplete requests out of the connection's receive buffer. grpc-java keeps
     * each frame of an incomplete message as a slice of that buffer, up to 128 KiB, so that a
     * one-byte frame retains the whole buffer; a copy retains only the data. The last frame of a
     * call completes the message and is not copied. Confined to the connection's thread.
     */
    private static final class FrameCopies extends Http2FrameListenerDecorator {
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

    /**
     * Drops grpc-java's messages to a connection that has become HTTP/1, such as a handshake
     * timeout. On shutdown the connection is closed like any other.
     */
    private static final class TransportCommands extends ChannelOutboundHandlerAdapter {
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
}
