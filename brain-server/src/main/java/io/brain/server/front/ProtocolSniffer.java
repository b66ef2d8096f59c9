package io.brain.server.front;

import io.brain.server.etcd.Connection;
import io.brain.server.http.HttpHandler;
import io.brain.server.http.HttpRoutes;
import io.grpc.Attributes;
import io.grpc.ChannelLogger;
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
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/**
 * Tells gRPC from HTTP/1 by what a connection begins with: HTTP/2's preface, or anything else. A
 * connection that is not gRPC is taken out of grpc-java's hands and its pipeline made HTTP/1's.
 * Over TLS, it is what is encrypted that is looked at.
 */
final class ProtocolSniffer implements ProtocolNegotiator {
    /** The beginning of HTTP/2's preface. */
    private static final byte[] HTTP2 = "PRI * HTTP/2".getBytes(StandardCharsets.US_ASCII);

    /** What TLS begins with, and no text. */
    private static final byte HANDSHAKE = 0x16;

    private final ProtocolNegotiator plaintext = InternalProtocolNegotiators.serverPlaintext();
    private final HttpRoutes routes;
    private final SslContext tls;
    private final boolean inTheClear;

    /**
     * For a group of addresses.
     *
     * @param routes null if gRPC alone is served
     * @param tls null if it is not spoken
     * @param inTheClear whether connections without TLS are served; with TLS, the first byte tells
     */
    ProtocolSniffer(HttpRoutes routes, SslContext tls, boolean inTheClear) {
        this.routes = routes;
        this.tls = tls;
        this.inTheClear = inTheClear;
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
        return new Sniffer(grpc, grpcHandler.getNegotiationLogger());
    }

    @Override
    public void close() {
        plaintext.close();
    }

    /** One connection before it is known. */
    private final class Sniffer extends ProtocolNegotiationHandler {
        /** Null while the connection is in the clear. */
        private SslHandler encryption;

        private ByteBuf begun = Unpooled.EMPTY_BUFFER;

        Sniffer(ChannelHandler grpc, ChannelLogger logger) {
            super(grpc, "sniff", logger);
        }

        @Override
        protected void handlerAdded0(ChannelHandlerContext ctx) {
            if (!inTheClear) {
                encrypt(ctx);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf more = (ByteBuf) message;
            begun = begun.isReadable() ? Unpooled.wrappedBuffer(begun, more) : more;
            if (tls != null
                    && encryption == null
                    && begun.getByte(begun.readerIndex()) == HANDSHAKE) {
                ByteBuf first = take();
                encrypt(ctx);
                ctx.pipeline().fireChannelRead(first);
                return;
            }
            int known = Math.min(begun.readableBytes(), HTTP2.length);
            for (int i = 0; i < known; i++) {
                if (begun.getByte(begun.readerIndex() + i) != HTTP2[i]) {
                    beHttp1(ctx);
                    return;
                }
            }
            if (known == HTTP2.length) {
                beHttp2(ctx);
            }
        }

        private void encrypt(ChannelHandlerContext ctx) {
            encryption = tls.newHandler(ctx.alloc());
            ctx.pipeline().addBefore(ctx.name(), null, encryption);
        }

        private void beHttp2(ChannelHandlerContext ctx) {
            ByteBuf first = take();
            CountedConnection connection = new CountedConnection(ctx.channel());
            ctx.pipeline().addFirst(connection);
            tellCalls(connection);
            fireProtocolNegotiationEvent(ctx);
            // This handler's place is the next one's by now.
            ctx.fireChannelRead(first);
        }

        private void tellCalls(Connection connection) {
            var event = getProtocolNegotiationEvent();
            Attributes known = InternalProtocolNegotiationEvent.getAttributes(event);
            Attributes.Builder all = known.toBuilder().set(Connection.KEY, connection);
            if (encryption != null) {
                all.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, encryption.engine().getSession());
            }
            replaceProtocolNegotiationEvent(
                    InternalProtocolNegotiationEvent.withAttributes(event, all.build()));
        }

        private void beHttp1(ChannelHandlerContext ctx) {
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
            ByteBuf first = begun;
            begun = Unpooled.EMPTY_BUFFER;
            return first;
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            begun.release();
        }
    }
}
