package io.brain.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A malformed request ends its own stream only, with a status. */
@Timeout(60)
class MalformedRequestsTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    /** RangeRequest of the key "a". */
    private static final byte[] RANGE = {0, 0, 0, 0, 3, 10, 1, 'a'};

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource({"x-bin, ####", "X, y", "connection, x", ":unknown, x", ":path, /x"})
    void malformedHeadersEndOnlyTheirStream(String name, String value) throws Exception {
        preface();
        frame(HEADERS, END_HEADERS, 1, headers(name, value));
        frame(DATA, END_STREAM, 1, RANGE);
        frame(HEADERS, END_HEADERS, 3, headers("x", "y"));
        frame(DATA, END_STREAM, 3, RANGE);
        String answer = exchange(3);
        assertThat(answer).contains("RST_STREAM 1\n", "grpc-status\u00010");
    }

    @Test
    void aMessageThatIsNoGzipIsRefused() throws Exception {
        preface();
        frame(HEADERS, END_HEADERS, 1, headers("grpc-encoding", "gzip"));
        frame(DATA, END_STREAM, 1, new byte[] {1, 0, 0, 0, 4, 'x', 'x', 'x', 'x'});
        assertThat(exchange(1))
                .contains("grpc-status\u000213", "grpc: failed to decompress the message: ");
    }

    @Test
    void aSecondRequestOfAStreamedRangeIsRefused() throws Exception {
        preface();
        frame(HEADERS, END_HEADERS, 1, headers("/etcdserverpb.KV/RangeStream", "x", "y"));
        byte[] two = ByteBuffer.allocate(2 * RANGE.length).put(RANGE).put(RANGE).array();
        frame(DATA, END_STREAM, 1, two);
        assertThat(exchange(1)).contains("received multiple request messages");
    }

    private void preface() {
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /** Sends the frames; what the server sends until a stream ends, as far as it is text. */
    private String exchange(int until) throws IOException {
        StringBuilder received = new StringBuilder();
        try (TestServer server = new TestServer();
                Socket socket = new Socket()) {
            socket.connect(server.address());
            socket.getOutputStream().write(out.toByteArray());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(length);
                if (type == RST_STREAM) {
                    received.append("RST_STREAM ").append(stream).append('\n');
                } else {
                    received.append(new String(payload, StandardCharsets.ISO_8859_1));
                }
                boolean ends = type == HEADERS && (flags & END_STREAM) != 0;
                if (stream == until && (ends || type == RST_STREAM)) {
                    return received.toString();
                }
            }
        }
    }

    private static byte[] headers(String name, String value) {
        return headers("/etcdserverpb.KV/Range", name, value);
    }

    private static byte[] headers(String path, String name, String value) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        header(block, ":method", "POST");
        header(block, ":scheme", "http");
        header(block, ":path", path);
        header(block, ":authority", "127.0.0.1");
        boolean pseudo = name.startsWith(":");
        if (pseudo) {
            header(block, name, value);
        }
        header(block, "content-type", "application/grpc");
        header(block, "te", "trailers");
        if (!pseudo) {
            header(block, name, value);
        }
        return block.toByteArray();
    }

    /** A literal that is not indexed, with plain strings. */
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
