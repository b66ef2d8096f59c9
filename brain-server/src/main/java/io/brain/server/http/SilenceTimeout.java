package io.brain.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.util.function.BooleanSupplier;

/**
 * Closes a connection that is silent before the first request, or during one. As in etcd, it may be
 * silent between requests. Confined to the connection's thread.
 */
final class SilenceTimeout extends ReadTimeoutHandler {
    private static final int SECONDS_MAX = 120;

    private final BooleanSupplier exempt;

    /** False after a request, until bytes arrive. */
    private boolean inRequest = true;

    /**
     * Creates the timeout of a connection.
     *
     * @param exempt true while silence is permitted in a request
     */
    SilenceTimeout(BooleanSupplier exempt) {
        super(SECONDS_MAX);
        this.exempt = exempt;
    }

    /** Notes that a request begins or ends. */
    void setInRequest(boolean begins) {
        inRequest = begins;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
        inRequest = true;
        super.channelRead(ctx, bytes);
    }

    @Override
    protected void readTimedOut(ChannelHandlerContext ctx) throws Exception {
        if (inRequest && !exempt.getAsBoolean()) {
            super.readTimedOut(ctx);
        }
    }
}
