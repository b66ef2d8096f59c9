package io.brain.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the frames of an HTTP/2 connection by hand, as no library would. */
public final class Http2Frames {
    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int RST_STREAM = 3;
    public static final int END_STREAM = 1;
    private static final int SETTINGS = 4;
    private static final int END_HEADERS = 4;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** The beginning of a connection. */
    public Http2Frames() {
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /**
     * The headers of a gRPC call, without its messages.
     *
     * @param more names and values of further headers
     */
    public Http2Frames call(int stream, String path, String... more) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        header(block, ":method", "POST");
        header(block, ":scheme", "http");
        header(block, ":path", path);
        header(block, ":authority", "127.0.0.1");
        headers(block, true, more);
        header(block, "content-type", "application/grpc");
        header(block, "te", "trailers");
        headers(block, false, more);
        frame(HEADERS, END_HEADERS, stream, block.toByteArray());
        return this;
    }

    /** The last bytes of a stream. */
    public Http2Frames end(int stream, byte[] data) {
        frame(DATA, END_STREAM, stream, data);
        return this;
    }

    public byte[] bytes() {
        return out.toByteArray();
    }

    private static void headers(ByteArrayOutputStream block, boolean pseudo, String... more) {
        for (int i = 0; i < more.length; i += 2) {
            if (more[i].startsWith(":") == pseudo) {
                header(block, more[i], more[i + 1]);
            }
        }
    }

    /** A literal that is not indexed, with plain strings. */
    private static void header(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        block.write(text.length());
        block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        ByteBuffer header = ByteBuffer.allocate(9);
        header.put((byte) (payload.length >> 16)).putShort((short) payload.length);
        header.put((byte) type).put((byte) flags).putInt(stream);
        out.writeBytes(header.array());
        out.writeBytes(payload);
    }
}
