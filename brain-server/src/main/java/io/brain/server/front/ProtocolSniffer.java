package io.brain.server.front;

import io.brain.server.etcd.Connection;
import io.brain.server.http.HttpHandler;
import io.brain.server.http.HttpRoutes;
import io.grpc.Attributes;
import io.grpc.ChannelLogger;
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
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/**
 * Tells gRPC from HTTP/1 by what a connection begins with: HTTP/2's preface, or anything else. A
 * connection that is not gRPC is taken out of grpc-java's hands and its pipeline made HTTP/1's.
 */
final class ProtocolSniffer implements ProtocolNegotiator {
    /** The beginning of HTTP/2's preface. */
    private static final byte[] HTTP2 = "PRI * HTTP/2".getBytes(StandardCharsets.US_ASCII);

    private final ProtocolNegotiator plaintext = InternalProtocolNegotiators.serverPlaintext();
    private final HttpRoutes routes;

    ProtocolSniffer(HttpRoutes routes) {
        this.routes = routes;
    }

    @Override
    public AsciiString scheme() {
        return plaintext.scheme();
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpcHandler) {
        ChannelHandler grpc = plaintext.newHandler(grpcHandler);
        return new Sniffer(grpc, grpcHandler.getNegotiationLogger(), routes);
    }

    @Override
    public void close() {
        plaintext.close();
    }

    /** One connection before it is known. */
    private static final class Sniffer extends ProtocolNegotiationHandler {
        private final HttpRoutes routes;
        private ByteBuf begun = Unpooled.EMPTY_BUFFER;

        Sniffer(ChannelHandler grpc, ChannelLogger logger, HttpRoutes routes) {
            super(grpc, "sniff", logger);
            this.routes = routes;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf more = (ByteBuf) message;
            begun = begun.isReadable() ? Unpooled.wrappedBuffer(begun, more) : more;
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

        private void beHttp2(ChannelHandlerContext ctx) {
            ChannelPipeline pipeline = ctx.pipeline();
            ByteBuf first = take();
            CountedConnection connection = new CountedConnection(ctx.channel());
            pipeline.addFirst(connection);
            tellCalls(connection);
            fireProtocolNegotiationEvent(ctx);
            pipeline.fireChannelRead(first);
        }

        private void tellCalls(Connection connection) {
            var event = getProtocolNegotiationEvent();
            Attributes known = InternalProtocolNegotiationEvent.getAttributes(event);
            Attributes all = known.toBuilder().set(Connection.KEY, connection).build();
            replaceProtocolNegotiationEvent(
                    InternalProtocolNegotiationEvent.withAttributes(event, all));
        }

        private void beHttp1(ChannelHandlerContext ctx) {
            ChannelPipeline pipeline = ctx.pipeline();
            ByteBuf first = take();
            while (pipeline.last() != null) {
                pipeline.removeLast();
            }
            pipeline.addLast(new TransportCommands());
            HttpHandler.install(pipeline, routes);
            pipeline.fireChannelRead(first);
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
