package io.brain.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
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
import io.netty.util.ReferenceCountUtil;
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
 * Serves one HTTP/1 connection, one request at a time: the next request is read after the answer to
 * the last. Bodies are ignored, except those of an {@link Exchange}.
 */
public final class HttpHandler extends ChannelInboundHandlerAdapter {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final int LINE_BYTES_MAX = 64 << 10;
    private static final int HEADER_BYTES_MAX = 64 << 10;

    /** Limit of ignored body bytes; a connection that sends more is closed. */
    private static final long BODY_BYTES_MAX = 256 << 10;

    /** Go's servers send the length of a HEAD answer only if it is short. */
    private static final int HEAD_LENGTH_MAX = 2048;

    private final HttpRoutes routes;

    /** What one socket read brought and is not handled yet: more is read when it is empty. */
    private final Queue<HttpObject> arrived = new ArrayDeque<>();

    /** The request being served; null between requests. */
    private Request current;

    /** Takes the body of the request; null: it is ignored. */
    private Exchange exchange;

    /** An exchange may be silent: a watch. */
    private final SilenceTimeout silence = new SilenceTimeout(() -> exchange != null);

    /** True until the body of the request is complete. */
    private boolean inBody;

    /** True when the response is sent. */
    private boolean answered;

    /** Number of ignored body bytes of the request. */
    private long bodyBytes;

    /** True when no more requests are served. */
    private boolean ending;

    private boolean draining;

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
        // Detects clients that are gone, also between requests.
        pipeline.channel().config().setOption(ChannelOption.SO_KEEPALIVE, true);
        HttpHandler handler = new HttpHandler(routes);
        pipeline.addLast(handler.silence, new HttpServerCodec(limits), handler);
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
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        arrived.add((HttpObject) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        drain(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ending = true;
        arrived.forEach(ReferenceCountUtil::release);
        arrived.clear();
        leave();
        ctx.fireChannelInactive();
    }

    private void leave() {
        Exchange left = exchange;
        exchange = null;
        if (left != null) {
            left.onLeft();
        }
    }

    /** Handles what arrived, and reads more unless a part of it has to wait. */
    private void drain(ChannelHandlerContext ctx) {
        if (draining) {
            return;
        }
        draining = true;
        while (!ending && !arrived.isEmpty() && takes(arrived.element())) {
            HttpObject next = arrived.remove();
            try {
                take(ctx, next);
            } finally {
                ReferenceCountUtil.release(next);
            }
        }
        draining = false;
        if (!ending && arrived.isEmpty() && takesMore()) {
            ctx.read();
        }
    }

    private boolean takes(HttpObject next) {
        return next instanceof HttpRequest ? current == null : takesMore();
    }

    /** During an exchange, reading also detects that the client leaves. */
    private boolean takesMore() {
        if (exchange == null) {
            return inBody ? bodyBytes <= BODY_BYTES_MAX : current == null;
        }
        return !inBody || exchange.takesBody();
    }

    private void take(ChannelHandlerContext ctx, HttpObject next) {
        if (next instanceof HttpRequest head) {
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            current = Request.of(head, tls == null ? null : tls.engine().getSession());
            silence.setInRequest(true);
            inBody = true;
            answered = false;
            bodyBytes = 0;
            serve(ctx, current);
        }
        if (next instanceof HttpContent content) {
            takeBody(ctx, content, next instanceof HttpRequest);
        }
    }

    private void takeBody(ChannelHandlerContext ctx, HttpContent content, boolean whole) {
        if (content.decoderResult().isFailure() && !whole) {
            var unused = ctx.close();
            return;
        }
        if (exchange != null) {
            exchange.onBody(content.content().nioBuffer());
        } else {
            bodyBytes += content.content().readableBytes();
        }
        if (content instanceof LastHttpContent) {
            inBody = false;
            if (exchange != null) {
                exchange.onBodyEnd();
            }
        }
        finish(ctx);
    }

    private void serve(ChannelHandlerContext ctx, Request request) {
        if (request.refusal() != null) {
            refuse(ctx, request.refusal());
            return;
        }
        Exchange.Factory factory = routes.exchange(request);
        if (factory != null) {
            begin(ctx, request, factory);
            return;
        }
        // The bodies are ignored, so 100 Continue is not sent.
        boolean keepAlive = request.keepAlive() && !request.awaitsContinue();
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
                                send(ctx, request, answer, keepAlive);
                            }
                        },
                        ctx.executor());
    }

    private void begin(ChannelHandlerContext ctx, Request request, Exchange.Factory factory) {
        Response response =
                new Response(
                        ctx,
                        request,
                        headers -> addCommon(request, headers),
                        reusable -> sent(ctx, reusable),
                        () -> drain(ctx));
        exchange = factory.begin(request, response);
        if (request.awaitsContinue()) {
            var unused =
                    ctx.writeAndFlush(
                            new DefaultFullHttpResponse(
                                    HttpVersion.HTTP_1_1,
                                    HttpResponseStatus.CONTINUE,
                                    Unpooled.EMPTY_BUFFER));
        }
    }

    private CompletionStage<HttpAnswer> answer(Request request) {
        boolean options = request.method().equals("OPTIONS");
        if (options && (request.target() == null || routes.crossOrigin(request))) {
            return CompletableFuture.completedFuture(HttpAnswer.EMPTY);
        }
        return request.target() == null
                ? CompletableFuture.completedFuture(HttpAnswer.NO_PAGE)
                : routes.answer(request);
    }

    private void sent(ChannelHandlerContext ctx, boolean reusable) {
        exchange = null;
        answered = true;
        if (!reusable) {
            end(ctx);
            return;
        }
        finish(ctx);
        drain(ctx);
    }

    /**
     * Forgets the request when it is answered and its body complete, so that the next is served.
     */
    private void finish(ChannelHandlerContext ctx) {
        if (answered && !inBody) {
            current = null;
            silence.setInRequest(false);
        } else if (answered && bodyBytes > BODY_BYTES_MAX) {
            end(ctx);
        }
    }

    private void end(ChannelHandlerContext ctx) {
        ending = true;
        Closing.close(ctx, inBody);
    }

    private void send(
            ChannelHandlerContext ctx, Request request, HttpAnswer answer, boolean keepAlive) {
        boolean bodiless = request.method().equals("HEAD");
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        request.version(),
                        HttpResponseStatus.valueOf(answer.status()),
                        bodiless
                                ? Unpooled.EMPTY_BUFFER
                                : Unpooled.wrappedBuffer(answer.body().asReadOnlyByteBuffer()));
        HttpHeaders headers = response.headers();
        addCommon(request, headers);
        answer.headers().forEach(headers::set);
        int length = answer.body().size();
        if (!bodiless || (length > 0 && length <= HEAD_LENGTH_MAX)) {
            headers.set("Content-Length", length);
        }
        HttpUtil.setKeepAlive(response, keepAlive);
        ctx.writeAndFlush(response).addListener(done -> sent(ctx, keepAlive));
    }

    private void addCommon(Request request, HttpHeaders headers) {
        boolean serverWide = request.method().equals("OPTIONS") && request.target() == null;
        String origin = serverWide ? null : routes.allowedOrigin(request);
        if (origin != null) {
            headers.set("Access-Control-Allow-Headers", "accept, content-type, authorization");
            headers.set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE");
            headers.set("Access-Control-Allow-Origin", origin);
        }
        headers.set("Date", DATE.format(ZonedDateTime.now(ZoneOffset.UTC)));
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
        ctx.writeAndFlush(response).addListener(written -> Closing.close(ctx, true));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("HTTP connection failed", cause);
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
}
