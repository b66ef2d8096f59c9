package io.brain.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one HTTP/1 connection, one request at a time: the next is read when the last is answered.
 */
public final class HttpHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final int REQUEST_BYTES_MAX = 64 * 1024;
    private static final int IDLE_SECONDS_MAX = 120;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private final HttpRoutes routes;

    /** What is being answered, and what came behind it in the same piece of the stream. */
    private final Queue<Request> waiting = new ArrayDeque<>();

    private HttpHandler(HttpRoutes routes) {
        this.routes = routes;
    }

    /** Makes {@code pipeline} that of an HTTP/1 connection; on the connection's thread. */
    public static void install(ChannelPipeline pipeline, HttpRoutes routes) {
        pipeline.channel().config().setAutoRead(false);
        pipeline.addLast(
                new ReadTimeoutHandler(IDLE_SECONDS_MAX),
                new HttpServerCodec(),
                new HttpObjectAggregator(REQUEST_BYTES_MAX),
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
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest message) {
        waiting.add(
                new Request(
                        message.method(),
                        message.decoderResult().isSuccess() ? message.uri() : null,
                        HttpUtil.isKeepAlive(message)));
        if (waiting.size() == 1) {
            serve(ctx, waiting.element());
        }
    }

    private void serve(ChannelHandlerContext ctx, Request request) {
        if (request.uri == null) {
            send(ctx, HttpAnswer.error(HttpAnswer.BAD_REQUEST, "400 Bad Request"), false);
            return;
        }
        boolean preflight = routes.crossOrigin() && request.method.equals(HttpMethod.OPTIONS);
        QueryStringDecoder uri = new QueryStringDecoder(request.uri);
        CompletionStage<HttpAnswer> answering =
                preflight
                        ? CompletableFuture.completedFuture(HttpAnswer.EMPTY)
                        : routes.answer(request.method.name(), uri.path(), uri.parameters());
        answering.whenCompleteAsync(
                (answer, failure) -> {
                    if (failure != null) {
                        LOG.error("{} {} failed", request.method, uri.path(), failure);
                        send(ctx, HttpAnswer.FAILURE, false);
                    } else {
                        send(ctx, answer, request.keepAlive);
                    }
                },
                ctx.executor());
    }

    /** The answer to the first request that waits is on its way: now the next. */
    private void goOn(ChannelHandlerContext ctx) {
        waiting.remove();
        if (waiting.isEmpty()) {
            ctx.read();
        } else {
            serve(ctx, waiting.element());
        }
    }

    private void send(ChannelHandlerContext ctx, HttpAnswer answer, boolean keepAlive) {
        boolean bodiless = waiting.element().method.equals(HttpMethod.HEAD);
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(answer.status()),
                        bodiless ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        HttpHeaders headers = response.headers();
        if (routes.crossOrigin()) {
            headers.set("Access-Control-Allow-Headers", "accept, content-type, authorization");
            headers.set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE");
            headers.set("Access-Control-Allow-Origin", "*");
        }
        if (answer.contentType() != null) {
            headers.set("Content-Type", answer.contentType());
        }
        if (answer.plain()) {
            headers.set("X-Content-Type-Options", "nosniff");
        }
        if (answer.status() == HttpAnswer.NOT_ALLOWED) {
            headers.set("Allow", "GET");
        }
        headers.set("Date", DATE.format(ZonedDateTime.now(ZoneOffset.UTC)));
        headers.set("Content-Length", body.length);
        HttpUtil.setKeepAlive(response, keepAlive);
        ctx.writeAndFlush(response)
                .addListener(keepAlive ? done -> goOn(ctx) : ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("an HTTP connection failed", cause);
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * A request.
     *
     * @param uri null if it could not be read
     */
    private record Request(HttpMethod method, String uri, boolean keepAlive) {}
}
