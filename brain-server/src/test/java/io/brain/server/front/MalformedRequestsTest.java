package io.brain.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.Http2Frames;
import io.brain.server.TestServer;
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
    private static final String KV_RANGE = "/etcdserverpb.KV/Range";

    /** RangeRequest of the key "a". */
    private static final byte[] RANGE = {0, 0, 0, 0, 3, 10, 1, 'a'};

    @ParameterizedTest
    @CsvSource({"x-bin, ####", "X, y", "connection, x", ":unknown, x", ":path, /x"})
    void malformedHeadersEndOnlyTheirStream(String name, String value) throws Exception {
        Http2Frames frames =
                new Http2Frames()
                        .call(1, KV_RANGE, name, value)
                        .end(1, RANGE)
                        .call(3, KV_RANGE)
                        .end(3, RANGE);
        String answer = exchange(frames, 3);
        assertThat(answer).contains("RST_STREAM 1\n", "grpc-status\u00010");
    }

    @Test
    void aMessageThatIsNoGzipIsRefused() throws Exception {
        Http2Frames frames =
                new Http2Frames()
                        .call(1, KV_RANGE, "grpc-encoding", "gzip")
                        .end(1, new byte[] {1, 0, 0, 0, 4, 'x', 'x', 'x', 'x'});
        assertThat(exchange(frames, 1))
                .contains("grpc-status\u000213", "grpc: failed to decompress the message: ");
    }

    @Test
    void aSecondRequestOfAStreamedRangeIsRefused() throws Exception {
        byte[] two = ByteBuffer.allocate(2 * RANGE.length).put(RANGE).put(RANGE).array();
        Http2Frames frames = new Http2Frames().call(1, "/etcdserverpb.KV/RangeStream").end(1, two);
        assertThat(exchange(frames, 1)).contains("received multiple request messages");
    }

    /** Sends the frames; what the server sends until a stream ends, as far as it is text. */
    private static String exchange(Http2Frames frames, int until) throws IOException {
        StringBuilder received = new StringBuilder();
        try (TestServer server = new TestServer();
                Socket socket = new Socket()) {
            socket.connect(server.address());
            socket.getOutputStream().write(frames.bytes());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(length);
                if (type == Http2Frames.RST_STREAM) {
                    received.append("RST_STREAM ").append(stream).append('\n');
                } else {
                    received.append(new String(payload, StandardCharsets.ISO_8859_1));
                }
                boolean ends = type == Http2Frames.HEADERS && (flags & Http2Frames.END_STREAM) != 0;
                if (stream == until && (ends || type == Http2Frames.RST_STREAM)) {
                    return received.toString();
                }
            }
        }
    }
}
