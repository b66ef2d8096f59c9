package io.brain.bench.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/**
 * Header blocks of gRPC. Request headers are encoded once, as literals; only a token enters the
 * server's table with the first request, as other clients' headers do. The trailers of a success
 * are cached: because the own dynamic table is disabled, equal bytes have equal meaning and are not
 * decoded again. Confined to the event loop.
 */
final class LeanHeaders {

    private static final int POST = 0x80 | 3; // of HPACK's static table
    private static final int HTTP = 0x80 | 6;
    private static final int PATH = 4;
    private static final int AUTHORITY = 1;
    private static final int LITERAL = 0;
    private static final int ENTER = 0x40; // a literal that enters the dynamic table
    private static final int ENTERED = 0x80 | 62; // its newest field

    /** The table of a server has 4 KiB. */
    private static final int ENTERED_CHARS_MAX = 2048;

    private static final int CONTENT_TYPE_BEYOND_FOUR_BITS = 31 - 15;

    private static final int BLOCK_BYTES_MAX = 64 << 10;
    private static final int PREFIX_MAX = 0x7f;

    private final Map<Rpc, byte[]> first = new EnumMap<>(Rpc.class);
    private final Map<Rpc, byte[]> later = new EnumMap<>(Rpc.class);
    private boolean sent;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private ByteBuf begin = Unpooled.EMPTY_BUFFER;
    private ByteBuf good = Unpooled.EMPTY_BUFFER;

    LeanHeaders(String authority, String token) {
        for (Rpc rpc : Rpc.values()) {
            ByteBuf block = encode(rpc, authority);
            byte[] common = ByteBufUtil.getBytes(block);
            first.put(rpc, ByteBufUtil.getBytes(token(block, ENTER, token)));
            ByteBuf again = Unpooled.buffer().writeBytes(common);
            boolean known = !token.isEmpty() && token.length() <= ENTERED_CHARS_MAX;
            later.put(
                    rpc,
                    ByteBufUtil.getBytes(
                            known ? again.writeByte(ENTERED) : token(again, LITERAL, token)));
        }
        try {
            decoder.configuration().maxHeaderTableSize(0);
            decoder.configuration().maxHeaderListSize(BLOCK_BYTES_MAX, BLOCK_BYTES_MAX);
        } catch (Http2Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Headers of the connection's next request. */
    byte[] request(Rpc rpc) {
        byte[] block = (sent ? later : first).get(rpc);
        sent = true;
        return block;
    }

    /** Reads response headers, and ignores their values. */
    void begin(int stream, ByteBuf block) throws Http2Exception {
        if (!ByteBufUtil.equals(block, begin)) {
            byte[] bytes = ByteBufUtil.getBytes(block);
            decoder.decodeHeaders(stream, block); // the first may resize the table
            begin = Unpooled.wrappedBuffer(bytes);
        }
    }

    /**
     * Reads trailers.
     *
     * @return null on success, else the failure
     */
    String failure(int stream, ByteBuf block) throws Http2Exception {
        if (ByteBufUtil.equals(block, good)) {
            return null;
        }
        byte[] bytes = ByteBufUtil.getBytes(block);
        Http2Headers headers = decoder.decodeHeaders(stream, block);
        CharSequence status = headers.get("grpc-status");
        if (status != null && "0".contentEquals(status)) {
            good = Unpooled.wrappedBuffer(bytes);
            return null;
        }
        return "status " + status + ": " + headers.get("grpc-message");
    }

    private static ByteBuf encode(Rpc rpc, String authority) {
        ByteBuf block = Unpooled.buffer();
        block.writeByte(POST).writeByte(HTTP);
        text(block.writeByte(PATH), '/' + rpc.fullName());
        text(block.writeByte(AUTHORITY), authority);
        text(block.writeByte(0x0f).writeByte(CONTENT_TYPE_BEYOND_FOUR_BITS), "application/grpc");
        text(text(block.writeByte(LITERAL), "te"), "trailers");
        return block;
    }

    private static ByteBuf token(ByteBuf block, int form, String token) {
        return token.isEmpty() ? block : text(text(block.writeByte(form), "token"), token);
    }

    /** A string without Huffman coding; its length has a prefix of 7 bits (RFC 7541, 5.1). */
    private static ByteBuf text(ByteBuf block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length < PREFIX_MAX) {
            return block.writeByte(bytes.length).writeBytes(bytes);
        }
        block.writeByte(PREFIX_MAX);
        int rest = bytes.length - PREFIX_MAX;
        for (; rest >= 0x80; rest >>>= 7) {
            block.writeByte((rest & 0x7f) | 0x80);
        }
        return block.writeByte(rest).writeBytes(bytes);
    }
}
