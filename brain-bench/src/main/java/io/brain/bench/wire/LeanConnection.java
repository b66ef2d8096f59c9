package io.brain.bench.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Client side of an HTTP/2 connection for unary gRPC calls. It multiplexes streams, respects both
 * flow-control windows, answers pings, and flushes once per read. It does not exert back pressure,
 * does not support compression, and closes the connection on GOAWAY. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class LeanConnection extends ByteToMessageDecoder {

    private static final int FRAME_HEADER_BYTES = 9;
    private static final int WINDOW_AT_START = 65_535;
    private static final int STREAM_WINDOW = Integer.MAX_VALUE;
    private static final int CONNECTION_WINDOW = 1 << 30;
    private static final int WINDOW_UPDATE_BYTES = 8 << 20;
    private static final int STREAM_MAX = Integer.MAX_VALUE - 2;

    private static final int SETTING_TABLE_SIZE = 1;
    private static final int SETTING_PUSH = 2;
    private static final int SETTING_STREAMS = 3;
    private static final int SETTING_WINDOW = 4;
    private static final int SETTING_FRAME_SIZE = 5;

    private final LeanHeaders headers;
    private final IntObjectMap<LeanCall> calls = new IntObjectHashMap<>();

    /** Calls that are not completely sent. */
    private final ArrayDeque<LeanCall> sending = new ArrayDeque<>();

    private ChannelHandlerContext ctx;
    private ByteBuf out;
    private boolean flushing;
    private int nextStream = 1;
    private long window = WINDOW_AT_START;
    private long streamWindow = WINDOW_AT_START;
    private int frameBytes = Http2CodecUtil.MAX_FRAME_SIZE_LOWER_BOUND;
    private int unread;
    private String end;
    private ByteBuf block;
    private boolean blockEnds;

    LeanConnection(String authority, String token) {
        this.headers = new LeanHeaders(authority, token);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ctx = context;
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        ByteBuf first = out();
        first.writeBytes(preface);
        frame(first, 18, Http2FrameTypes.SETTINGS, 0, 0);
        first.writeShort(SETTING_TABLE_SIZE).writeInt(0);
        first.writeShort(SETTING_PUSH).writeInt(0);
        first.writeShort(SETTING_WINDOW).writeInt(STREAM_WINDOW);
        windowUpdate(CONNECTION_WINDOW - WINDOW_AT_START);
        flush();
    }

    /** Starts a call. */
    void call(Rpc rpc, byte[] request, Reply reply) {
        if (ctx == null || end != null || nextStream >= STREAM_MAX) {
            reply.failed(end == null ? "the connection is not ready" : end);
            return;
        }
        LeanCall call = new LeanCall(nextStream, request, reply, streamWindow);
        nextStream += 2;
        calls.put(call.stream, call);
        byte[] fields = headers.request(rpc);
        frame(out(), fields.length, Http2FrameTypes.HEADERS, 4, call.stream).writeBytes(fields);
        sending.add(call);
        send();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> unused)
            throws Http2Exception, IOException {
        while (in.readableBytes() >= FRAME_HEADER_BYTES) {
            int at = in.readerIndex();
            int length = in.getUnsignedMedium(at);
            if (in.readableBytes() < FRAME_HEADER_BYTES + length) {
                return;
            }
            byte type = in.getByte(at + 3);
            Http2Flags flags = new Http2Flags(in.getUnsignedByte(at + 4));
            int stream = in.getInt(at + 5) & Integer.MAX_VALUE;
            int next = at + FRAME_HEADER_BYTES + length;
            in.readerIndex(at + FRAME_HEADER_BYTES);
            frame(type, flags, stream, in.readSlice(length));
            in.readerIndex(next);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
        flushing = true; // after the read
        super.channelRead(context, bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        flush();
        super.channelReadComplete(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        fail("the connection is closed");
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(String.valueOf(cause));
        context.close();
    }

    private void frame(byte type, Http2Flags flags, int stream, ByteBuf payload)
            throws Http2Exception, IOException {
        switch (type) {
            case Http2FrameTypes.DATA -> {
                taken(payload.readableBytes());
                unpad(flags, payload);
                LeanCall call = calls.get(stream);
                if (call != null) {
                    call.take(payload);
                    endIf(flags.endOfStream(), stream, "no status");
                }
            }
            case Http2FrameTypes.HEADERS -> {
                unpad(flags, payload);
                payload.skipBytes(flags.priorityPresent() ? 5 : 0);
                blockEnds = flags.endOfStream();
                block(flags.endOfHeaders(), stream, payload);
            }
            case Http2FrameTypes.CONTINUATION -> block(flags.endOfHeaders(), stream, payload);
            case Http2FrameTypes.RST_STREAM ->
                    endIf(true, stream, "reset: " + Http2Error.valueOf(payload.readUnsignedInt()));
            case Http2FrameTypes.SETTINGS -> settings(flags.ack(), payload);
            case Http2FrameTypes.PING -> {
                if (!flags.ack()) {
                    frame(out(), 8, Http2FrameTypes.PING, 1, 0).writeBytes(payload);
                }
            }
            case Http2FrameTypes.GO_AWAY -> {
                fail("the server sent GOAWAY");
                ctx.close();
            }
            case Http2FrameTypes.WINDOW_UPDATE -> widen(stream, payload.readInt());
            default -> {} // PRIORITY and unknown types are ignored
        }
    }

    private static void unpad(Http2Flags flags, ByteBuf payload) {
        if (flags.paddingPresent()) {
            int padding = payload.readUnsignedByte();
            payload.writerIndex(payload.writerIndex() - padding);
        }
    }

    /** Handles a header block or a fragment of it; only the trailers of a call matter. */
    private void block(boolean whole, int stream, ByteBuf piece) throws Http2Exception {
        if (!whole || block != null) {
            block = block == null ? ctx.alloc().buffer() : block;
            block.writeBytes(piece);
        }
        if (!whole) {
            return;
        }
        ByteBuf all = block == null ? piece : block;
        try {
            if (blockEnds) {
                endIf(true, stream, headers.failure(stream, all));
            } else {
                headers.begin(stream, all);
            }
        } finally {
            if (block != null) {
                block.release();
                block = null;
            }
        }
    }

    private void endIf(boolean ends, int stream, String failure) {
        LeanCall call = ends ? calls.remove(stream) : null;
        if (call != null) {
            if (call.left() > 0) {
                sending.remove(call);
            }
            call.end(failure);
        }
    }

    private void settings(boolean ack, ByteBuf payload) throws Http2Exception {
        if (ack) {
            return;
        }
        while (payload.isReadable()) {
            int name = payload.readUnsignedShort();
            long value = payload.readUnsignedInt();
            if (name == SETTING_WINDOW) {
                long more = value - streamWindow;
                streamWindow = value;
                calls.values().forEach(call -> call.window += more);
            } else if (name == SETTING_FRAME_SIZE) {
                frameBytes = (int) value;
            } else if (name == SETTING_STREAMS && value < calls.size()) {
                throw Http2Exception.connectionError(
                        Http2Error.REFUSED_STREAM,
                        "the server allows only %d concurrent calls",
                        value);
            }
        }
        frame(out(), 0, Http2FrameTypes.SETTINGS, 1, 0);
        send();
    }

    private void widen(int stream, int bytes) {
        if (stream == 0) {
            window += bytes;
        } else if (calls.get(stream) != null) {
            calls.get(stream).window += bytes;
        }
        send();
    }

    /** Sends as much as the windows allow, in the order of the calls. */
    private void send() {
        while (!sending.isEmpty()) {
            LeanCall call = sending.peek();
            while (call.left() > 0) {
                int bytes = (int) Math.min(Math.min(call.left(), frameBytes), window);
                bytes = (int) Math.min(bytes, call.window);
                if (bytes <= 0) {
                    return;
                }
                int last = bytes == call.left() ? 1 : 0;
                call.write(frame(out(), bytes, Http2FrameTypes.DATA, last, call.stream), bytes);
                window -= bytes;
                call.window -= bytes;
            }
            sending.poll();
        }
    }

    private void taken(int bytes) {
        unread += bytes;
        if (unread >= WINDOW_UPDATE_BYTES) {
            windowUpdate(unread);
            unread = 0;
        }
    }

    private void windowUpdate(int bytes) {
        frame(out(), 4, Http2FrameTypes.WINDOW_UPDATE, 0, 0).writeInt(bytes);
    }

    private static ByteBuf frame(ByteBuf to, int length, byte type, int flags, int stream) {
        return to.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
    }

    /** Output buffer, flushed at the end of this event loop iteration. */
    private ByteBuf out() {
        if (out == null) {
            out = ctx.alloc().buffer(16 << 10);
        }
        if (!flushing) {
            flushing = true;
            ctx.executor().execute(this::flush);
        }
        return out;
    }

    private void flush() {
        flushing = false;
        if (out != null) {
            ByteBuf written = out;
            out = null;
            ctx.writeAndFlush(written);
        }
    }

    private void fail(String why) {
        if (end != null) {
            return;
        }
        end = why;
        sending.clear();
        List<LeanCall> open = List.copyOf(calls.values());
        calls.clear();
        open.forEach(call -> call.end(why));
    }
}
