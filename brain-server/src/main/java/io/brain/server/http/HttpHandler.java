package io.brain.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Date;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one HTTP/1 connection, one request at a time: the next request is read after the answer to
 * the last. Request bodies are ignored.
 */
public final class HttpHandler extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final int LINE_BYTES_MAX = 64 << 10;
    private static final int HEADER_BYTES_MAX = 64 << 10;

    /** Limit of ignored body bytes; a connection that sends more is closed. */
    private static final long BODY_BYTES_MAX = 256 << 10;

    /** Go's servers send the length of a HEAD answer only if it is short. */
    private static final int HEAD_LENGTH_MAX = 2048;

    private static final int IDLE_SECONDS_MAX = 120;

    private final HttpRoutes routes;

    /** The request being served, and requests pipelined after it. */
    private final Queue<Request> waiting = new ArrayDeque<>();

    /** True until the body of the last request is complete. */
    private boolean inBody;

    private long bodyBytes;

    /** True when no more requests are served. */
    private boolean ending;

    private HttpHandler(HttpRoutes routes) {
        this.routes = routes;
    }

    /** Sets up {@code pipeline} for HTTP/1; on the connection's thread. */
    public static void install(ChannelPipeline pipeline, HttpRoutes routes) {
        pipeline.channel().config().setAutoRead(false);
        HttpDecoderConfig limits =
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(LINE_BYTES_MAX)
                        .setMaxHeaderSize(HEADER_BYTES_MAX)
                        // etcd accepts lines that end in LF only, as typed by hand.
                        .setStrictLineParsing(false);
        pipeline.addLast(
                new ReadTimeoutHandler(IDLE_SECONDS_MAX),
                new HttpServerCodec(limits),
                new HttpHandler(routes));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (ctx.channel().isActive()) {
            ctx.read();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (message instanceof HttpRequest head && !ending) {
            inBody = true;
            waiting.add(Request.of(head, ctx.pipeline().get(SslHandler.class) != null));
            if (waiting.size() == 1) {
                serve(ctx, waiting.element());
            }
        }
        if (message instanceof HttpContent body) {
            if (body.decoderResult().isFailure() && !(message instanceof HttpRequest)) {
                var unused = ctx.close();
            }
            bodyBytes += body.content().readableBytes();
            inBody = !(message instanceof LastHttpContent);
            if (!inBody) {
                bodyBytes = 0;
            }
        }
    }

    /** Reads more only for an incomplete body, or if no request is being served. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (bodyBytes > BODY_BYTES_MAX && waiting.isEmpty()) {
            var unused = ctx.close();
        } else if (waiting.isEmpty() || (inBody && bodyBytes <= BODY_BYTES_MAX)) {
            ctx.read();
        }
    }

    private void serve(ChannelHandlerContext ctx, Request request) {
        if (request.refusal() != null) {
            refuse(ctx, request.refusal());
            return;
        }
        answer(request)
                .whenCompleteAsync(
                        (answer, failure) -> {
                            if (failure != null) {
                                LOG.error(
                                        "{} {} failed",
                                        request.method(),
                                        request.target(),
                                        failure);
                                send(ctx, request, HttpAnswer.FAILURE, false);
                            } else {
                                send(ctx, request, answer, request.keepAlive());
                            }
                        },
                        ctx.executor());
    }

    private CompletionStage<HttpAnswer> answer(Request request) {
        boolean options = request.method().equals("OPTIONS");
        if (options && (request.target() == null || routes.crossOrigin())) {
            return CompletableFuture.completedFuture(HttpAnswer.EMPTY);
        }
        return request.target() == null
                ? CompletableFuture.completedFuture(HttpAnswer.NO_PAGE)
                : routes.answer(request);
    }

    /** Removes the answered request and serves the next. */
    private void serveNext(ChannelHandlerContext ctx) {
        waiting.remove();
        if (!waiting.isEmpty()) {
            serve(ctx, waiting.element());
        } else if (bodyBytes > BODY_BYTES_MAX) {
            var unused = ctx.close();
        } else {
            ctx.read();
        }
    }

    private void send(
            ChannelHandlerContext ctx, Request request, HttpAnswer answer, boolean keepAlive) {
        boolean bodiless = request.method().equals("HEAD");
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        request.version(),
                        HttpResponseStatus.valueOf(answer.status()),
                        bodiless ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        HttpHeaders headers = response.headers();
        boolean serverWide = request.method().equals("OPTIONS") && request.target() == null;
        if (routes.crossOrigin() && !serverWide) {
            headers.set("Access-Control-Allow-Headers", "accept, content-type, authorization");
            headers.set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE");
            headers.set("Access-Control-Allow-Origin", "*");
        }
        answer.headers().forEach(headers::set);
        headers.set("Date", DateFormatter.format(Date.from(Instant.now())));
        if (!bodiless || (body.length > 0 && body.length <= HEAD_LENGTH_MAX)) {
            headers.set("Content-Length", body.length);
        }
        HttpUtil.setKeepAlive(response, keepAlive);
        ending = !keepAlive;
        ctx.writeAndFlush(response)
                .addListener(keepAlive ? done -> serveNext(ctx) : ChannelFutureListener.CLOSE);
    }

    /**
     * Rejects a malformed request with the same text as Go's servers, and closes the connection.
     */
    private void refuse(ChannelHandlerContext ctx, String why) {
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.parseLine(why),
                        Unpooled.copiedBuffer(why, StandardCharsets.UTF_8));
        response.headers().set("Content-Type", HttpAnswer.TEXT).set("Connection", "close");
        ending = true;
        ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("HTTP connection failed", cause);
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
}
