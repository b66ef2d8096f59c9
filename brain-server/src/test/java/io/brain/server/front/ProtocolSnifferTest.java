package io.brain.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.TestServer;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ProtocolSnifferTest {
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EMPTY_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    private static final int SETTINGS = 4;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void http2IsDetectedAlsoByteByByte() throws Exception {
        for (boolean slowly : new boolean[] {false, true}) {
            try (Socket socket = connect()) {
                send(socket.getOutputStream(), PREFACE, slowly);
                send(socket.getOutputStream(), EMPTY_SETTINGS, slowly);
                assertThat(frameType(socket.getInputStream())).isEqualTo(SETTINGS);
            }
        }
    }

    @Test
    void http1IsDetectedAlsoByteByByte() throws Exception {
        byte[] request =
                "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII);
        for (boolean slowly : new boolean[] {false, true}) {
            try (Socket socket = connect()) {
                send(socket.getOutputStream(), request, slowly);
                assertThat(
                                new String(
                                        socket.getInputStream().readAllBytes(),
                                        StandardCharsets.US_ASCII))
                        .startsWith("HTTP/1.1 200 OK");
            }
        }
    }

    @Test
    void aMethodThatBeginsLikeThePrefaceIsHttp1() throws Exception {
        try (Socket socket = connect()) {
            byte[] request =
                    "PROPFIND /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII);
            send(socket.getOutputStream(), request, true);
            assertThat(
                            new String(
                                    socket.getInputStream().readAllBytes(),
                                    StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 405");
        }
    }

    @Test
    void aConnectionClosedBeforeDetectionLeaksNothing() throws Exception {
        for (int i = 0; i < 50; i++) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(PREFACE, 0, i % PREFACE.length);
            }
        }
        try (Socket socket = connect()) {
            send(socket.getOutputStream(), PREFACE, false);
            assertThat(frameType(socket.getInputStream())).isEqualTo(SETTINGS);
        }
    }

    private static Socket connect() throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void send(OutputStream out, byte[] bytes, boolean slowly) throws Exception {
        if (!slowly) {
            out.write(bytes);
            return;
        }
        for (byte b : bytes) {
            out.write(b);
            Thread.sleep(2);
        }
    }

    private static int frameType(InputStream in) throws Exception {
        return in.readNBytes(9)[3];
    }
}
