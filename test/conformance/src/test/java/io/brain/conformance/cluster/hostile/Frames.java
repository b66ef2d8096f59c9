package io.brain.conformance.cluster.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes HTTP/2's frames by hand, as no library would. */
final class Frames {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int UNKNOWN = 0xf0;
    private static final int CANCEL = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final short INITIAL_WINDOW_SIZE = 4;
    private static final int WINDOW_AT_START = 65_535;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /**
     * The beginning of a connection.
     *
     * @param window bytes that the server may send of each answer unasked
     */
    Frames preface(int window) {
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer settings = ByteBuffer.allocate(6).putShort(INITIAL_WINDOW_SIZE);
        frame(SETTINGS, 0, 0, settings.putInt(window).array());
        return this;
    }

    /** Lets the server send as much as can be said, of all answers together. */
    Frames widestWindow() {
        ByteBuffer update = ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE - WINDOW_AT_START);
        frame(WINDOW_UPDATE, 0, 0, update.array());
        return this;
    }

    /**
     * A gRPC call with one message.
     *
     * @param stream odd, and higher than those before
     * @param method such as {@code /etcdserverpb.KV/Range}
     * @param isLast true when the client's half of the stream ends with it
     */
    Frames call(int stream, String method, byte[] message, boolean isLast) {
        frame(HEADERS, END_HEADERS, stream, headers(method));
        ByteBuffer data = ByteBuffer.allocate(5 + message.length).put((byte) 0);
        data.putInt(message.length).put(message);
        frame(DATA, isLast ? END_STREAM : 0, stream, data.array());
        return this;
    }

    /** The beginning of a call whose message is to have this many bytes, none of which are here. */
    Frames begin(int stream, String method, int messageBytes) {
        frame(HEADERS, END_HEADERS, stream, headers(method));
        return data(stream, ByteBuffer.allocate(5).put((byte) 0).putInt(messageBytes).array());
    }

    /** More bytes of a message, of which the client's half of the stream has more. */
    Frames data(int stream, byte[] payload) {
        frame(DATA, 0, stream, payload);
        return this;
    }

    /** A frame of a type that HTTP/2 does not know, which a server has to ignore. */
    Frames unknown(byte[] payload) {
        frame(UNKNOWN, 0, 0, payload);
        return this;
    }

    /** Ends a stream at once. */
    Frames reset(int stream) {
        frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    private static byte[] headers(String method) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        header(block, ":method", "POST");
        header(block, ":scheme", "http");
        header(block, ":path", method);
        header(block, ":authority", "127.0.0.1");
        header(block, "content-type", "application/grpc");
        header(block, "te", "trailers");
        return block.toByteArray();
    }

    /** HPACK's plainest form: a literal that is not indexed, neither name nor value compressed. */
    private static void header(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        block.write(name.length());
        block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        block.write(value.length());
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        ByteBuffer header = ByteBuffer.allocate(9);
        header.put((byte) (payload.length >> 16)).putShort((short) payload.length);
        header.put((byte) type).put((byte) flags).putInt(stream);
        out.writeBytes(header.array());
        out.writeBytes(payload);
    }
}
