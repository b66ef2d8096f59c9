package io.brain.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The response of an {@link Exchange}. Methods run on the connection's thread, except where noted.
 */
public final class Response {
    /** A client that reads slowly takes parts of a part. */
    private static final int SLICE_BYTES = 64 << 10;

    private final ChannelHandlerContext ctx;
    private final Request request;

    /** Adds the headers of all responses. */
    private final Consumer<HttpHeaders> common;

    /** Runs after the last byte is written; true if the connection may be reused. */
    private final Consumer<Boolean> done;

    private final Runnable resume;
    private boolean reusable;

    /** Written by the connection's thread only. */
    private volatile long takenBytes;

    Response(
            ChannelHandlerContext ctx,
            Request request,
            Consumer<HttpHeaders> common,
            Consumer<Boolean> done,
            Runnable resume) {
        this.ctx = ctx;
        this.request = request;
        this.common = common;
        this.done = done;
        this.resume = resume;
        this.reusable = request.keepAlive();
    }

    /**
     * Sends the head.
     *
     * @param length of the body; negative: unknown
     */
    public void head(int status, Map<String, String> headers, long length) {
        DefaultHttpResponse head =
                new DefaultHttpResponse(request.version(), HttpResponseStatus.valueOf(status));
        common.accept(head.headers());
        headers.forEach(head.headers()::set);
        if (length >= 0) {
            head.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        } else if (request.version().equals(HttpVersion.HTTP_1_1)) {
            HttpUtil.setTransferEncodingChunked(head, true);
        } else {
            reusable = false; // the end of the connection ends the body
        }
        HttpUtil.setKeepAlive(head, reusable);
        var unused = ctx.writeAndFlush(head);
    }

    /**
     * Sends a part of the body, not empty; {@code taken} runs when the socket has it, or is closed.
     */
    public void part(byte[] bytes, int length, Runnable taken) {
        for (int from = 0; from < length; from += SLICE_BYTES) {
            int count = Math.min(SLICE_BYTES, length - from);
            boolean last = from + count == length;
            ByteBuf slice = Unpooled.wrappedBuffer(bytes, from, count);
            var unused =
                    ctx.write(new DefaultHttpContent(slice))
                            .addListener(
                                    end -> {
                                        count(count);
                                        if (last) {
                                            taken.run();
                                        }
                                    });
        }
        ctx.flush();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void count(int length) {
        takenBytes += length;
    }

    /** Completes the response; {@code taken} runs when the socket has it, or is closed. */
    public void end(Runnable taken) {
        var unused =
                ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                        .addListener(
                                end -> {
                                    taken.run();
                                    done.accept(reusable && end.isSuccess());
                                });
    }

    /** {@link Exchange#takesBody} may have become true. */
    public void resumeBody() {
        resume.run();
    }

    /** True if the socket accepts bytes without queueing them. Any thread. */
    public boolean isWritable() {
        return ctx.channel().isWritable();
    }

    /** Number of body bytes that the socket has taken. Any thread. */
    public long takenBytes() {
        return takenBytes;
    }

    /** Address of the client. */
    public SocketAddress client() {
        return ctx.channel().remoteAddress();
    }

    /** Identifies the connection by {@code equals}. */
    public Object connection() {
        return ctx.channel().id();
    }

    /** Runs {@code task} on the connection's thread. Any thread. */
    public void execute(Runnable task) {
        ctx.executor().execute(task);
    }

    /** Runs {@code task} on the connection's thread after a delay. */
    public Runnable schedule(long nanos, Runnable task) {
        var timer = ctx.executor().schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    /** Closes the connection and discards what is queued. Any thread. */
    public void drop() {
        execute(
                () -> {
                    var unused = ctx.channel().close();
                });
    }
}
