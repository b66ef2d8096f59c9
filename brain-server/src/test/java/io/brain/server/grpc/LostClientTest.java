package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As etcd counts them: alerts on failed calls must not see clients that stop. */
class LostClientTest {
    private static final String WATCH = "grpc_method=\"Watch\",grpc_service=\"etcdserverpb.Watch\"";
    private static final int SETTINGS = 4;
    private static final int HEADERS = 1;
    private static final int END_HEADERS = 4;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallOfALostConnectionIsCountedAsCancelled(boolean reset) throws Exception {
        try (TestServer server = new TestServer()) {
            try (Socket client = new Socket()) {
                client.setSoLinger(reset, 0); // true: closed by RST
                client.connect(server.address());
                client.getOutputStream().write(watchCall());
                while (count(server, "grpc_server_started_total{" + WATCH) == 0) {
                    Thread.sleep(5);
                }
            }
            assertThat(codeOfEndedCall(server)).isEqualTo("Canceled");
        }
    }

    private static String codeOfEndedCall(TestServer server) throws Exception {
        while (true) {
            for (String code : new String[] {"OK", "Canceled", "Unknown", "Unavailable"}) {
                String series = "grpc_server_handled_total{grpc_code=\"" + code + "\"," + WATCH;
                if (count(server, series) > 0) {
                    return code;
                }
            }
            Thread.sleep(5);
        }
    }

    private static long count(TestServer server, String series) throws IOException {
        InetSocketAddress address = server.metricsAddress();
        URI page = URI.create("http://127.0.0.1:" + address.getPort() + "/metrics");
        String text = new String(page.toURL().openStream().readAllBytes(), StandardCharsets.UTF_8);
        return Arrays.stream(text.split("\n"))
                .filter(line -> line.startsWith(series))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** An HTTP/2 connection with one call, as bytes. */
    private static byte[] watchCall() throws IOException {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        headers.write(0x83); // :method POST
        headers.write(0x86); // :scheme http
        headers.write(4);
        text(headers, "/etcdserverpb.Watch/Watch"); // :path
        headers.write(1);
        text(headers, "localhost"); // :authority
        headers.write(0);
        text(headers, "content-type");
        text(headers, "application/grpc");
        headers.write(0);
        text(headers, "te");
        text(headers, "trailers");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(bytes, SETTINGS, 0, 0, new byte[0]);
        frame(bytes, HEADERS, END_HEADERS, 1, headers.toByteArray());
        return bytes.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.write(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void frame(
            ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload)
            throws IOException {
        DataOutputStream data = new DataOutputStream(out);
        data.writeByte(0);
        data.writeShort(payload.length);
        data.writeByte(type);
        data.writeByte(flags);
        data.writeInt(stream);
        data.write(payload);
    }
}
