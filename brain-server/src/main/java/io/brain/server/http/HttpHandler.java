package io.brain.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
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
 * Requests are answered by their heads; bodies are read past.
 */
public final class HttpHandler extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final int LINE_BYTES_MAX = 64 << 10;
    private static final int HEADER_BYTES_MAX = 64 << 10;

    /** Of bodies in a row that are read past; a connection with more to send is closed. */
    private static final long BODY_BYTES_MAX = 256 << 10;

    /** Go's servers tell the length of a body that was not asked for only if it is short. */
    private static final int TOLD_BYTES_MAX = 2048;

    private static final int IDLE_SECONDS_MAX = 120;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private final HttpRoutes routes;

    /** What is being answered, and what came behind it in the same piece of the stream. */
    private final Queue<Request> waiting = new ArrayDeque<>();

    /** True while the body of the last request has not ended. */
    private boolean inBody;

    private long bodyBytes;

    /** True once no more is answered. */
    private boolean ending;

    private HttpHandler(HttpRoutes routes) {
        this.routes = routes;
    }

    /** Makes {@code pipeline} that of an HTTP/1 connection; on the connection's thread. */
    public static void install(ChannelPipeline pipeline, HttpRoutes routes) {
        pipeline.channel().config().setAutoRead(false);
        HttpDecoderConfig limits =
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(LINE_BYTES_MAX)
                        .setMaxHeaderSize(HEADER_BYTES_MAX)
                        // People type requests by hand, and etcd takes lines without a return.
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
            waiting.add(Request.of(head));
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

    /** More is read only for a body that goes on, or if nothing waits for its answer. */
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
        boolean secure = ctx.pipeline().get(SslHandler.class) != null;
        answer(request, new Route.Asker(request.host(), secure))
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

    private CompletionStage<HttpAnswer> answer(Request request, Route.Asker asker) {
        boolean options = request.method().equals("OPTIONS");
        Target target = request.target();
        if (options && (target == null || routes.crossOrigin())) {
            return CompletableFuture.completedFuture(HttpAnswer.EMPTY);
        }
        if (target == null) {
            return CompletableFuture.completedFuture(HttpAnswer.NOWHERE);
        }
        return routes.answer(request.method(), target, asker);
    }

    /** The answer to the first request that waits is on its way: now the next. */
    private void goOn(ChannelHandlerContext ctx) {
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
        boolean ofTheServer = request.method().equals("OPTIONS") && request.target() == null;
        if (routes.crossOrigin() && !ofTheServer) {
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
        answer.headers().forEach(headers::set);
        if (answer.location() != null) {
            headers.set("Location", answer.location());
        }
        if (answer.status() == HttpAnswer.NOT_ALLOWED) {
            headers.set("Allow", "GET");
        }
        headers.set("Date", DATE.format(ZonedDateTime.now(ZoneOffset.UTC)));
        if (!bodiless || (body.length > 0 && body.length <= TOLD_BYTES_MAX)) {
            headers.set("Content-Length", body.length);
        }
        HttpUtil.setKeepAlive(response, keepAlive);
        ending = !keepAlive;
        ctx.writeAndFlush(response)
                .addListener(keepAlive ? done -> goOn(ctx) : ChannelFutureListener.CLOSE);
    }

    /** Ends a connection that cannot be understood, in as few words as Go's servers. */
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
        LOG.debug("an HTTP connection failed", cause);
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
}
