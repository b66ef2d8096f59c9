package io.brain.conformance.overload;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/** Reads the answers of one call and notes its end once. Used by its connection's thread. */
final class Answers extends ChannelInboundHandlerAdapter {

    private static final int PREFIX_BYTES = 5;

    private final Ends ends;
    private final Consumer<byte[]> message;
    private final boolean keepsMessages;
    private final ByteArrayOutputStream unread = new ByteArrayOutputStream();
    private boolean ended;

    private Answers(Ends ends, Consumer<byte[]> message, boolean keepsMessages) {
        this.ends = ends;
        this.message = message;
        this.keepsMessages = keepsMessages;
    }

    /** Drops all it reads but the end. */
    static Answers dropped(Ends ends) {
        return new Answers(ends, bytes -> {}, false);
    }

    /** Hands on every message: for small ones only. */
    static Answers read(Ends ends, Consumer<byte[]> message) {
        return new Answers(ends, message, true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object frame) {
        try {
            if (frame instanceof Http2DataFrame data) {
                ends.received(data.content().readableBytes());
                if (keepsMessages) {
                    take(data.content());
                }
                if (data.isEndStream()) {
                    end("no status");
                }
            } else if (frame instanceof Http2HeadersFrame headers) {
                if (headers.isEndStream()) {
                    end(status(headers.headers()));
                }
            } else if (frame instanceof Http2ResetFrame reset) {
                end("reset " + reset.errorCode());
            }
        } finally {
            ReferenceCountUtil.release(frame);
        }
    }

    /** Resets come as events. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame reset) {
            end("reset " + reset.errorCode());
        }
        ReferenceCountUtil.release(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end("connection lost");
    }

    private void take(ByteBuf content) {
        byte[] some = new byte[content.readableBytes()];
        content.readBytes(some);
        unread.writeBytes(some);
        if (unread.size() < PREFIX_BYTES) {
            return;
        }
        byte[] all = unread.toByteArray();
        int at = 0;
        while (all.length - at >= PREFIX_BYTES) {
            int length = length(all, at + 1);
            if (all.length - at - PREFIX_BYTES < length) {
                break;
            }
            byte[] whole = new byte[length];
            System.arraycopy(all, at + PREFIX_BYTES, whole, 0, length);
            message.accept(whole);
            at += PREFIX_BYTES + length;
        }
        unread.reset();
        unread.write(all, at, all.length - at);
    }

    private static int length(byte[] all, int at) {
        return (all[at] & 0xff) << 24
                | (all[at + 1] & 0xff) << 16
                | (all[at + 2] & 0xff) << 8
                | (all[at + 3] & 0xff);
    }

    private static String status(Http2Headers trailers) {
        CharSequence code = trailers.get("grpc-status");
        CharSequence text = trailers.get("grpc-message");
        return "0".contentEquals(code == null ? "none" : code)
                ? Ends.OK
                : "status " + code + " " + (text == null ? "" : text);
    }

    private void end(String how) {
        if (!ended) {
            ended = true;
            ends.ended(how);
        }
    }
}
