package io.brain.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection after an answer. If the client is still sending, the kernel resets what is
 * closed, and the client may see that instead of the answer. Then, as in Go's servers, only the
 * answer's end is sent, and the connection closed a little later.
 */
final class Closing {
    private static final int LINGER_MILLIS = 500;

    private Closing() {}

    /**
     * Closes the connection; on its thread, when the answer is written.
     *
     * @param unread true if the client may still be sending
     */
    static void close(ChannelHandlerContext ctx, boolean unread) {
        if (unread && endOutput(ctx)) {
            var unused =
                    ctx.executor().schedule(() -> end(ctx), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            end(ctx);
        }
    }

    private static void end(ChannelHandlerContext ctx) {
        var unused = ctx.close();
    }

    /** False if the connection can only be closed in both directions. */
    private static boolean endOutput(ChannelHandlerContext ctx) {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        if (tls != null) {
            var unused = tls.closeOutbound();
            return true;
        }
        if (ctx.channel() instanceof DuplexChannel channel) {
            var unused = channel.shutdownOutput();
            return true;
        }
        return false;
    }
}
