package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console refuses foreign host names (DNS rebinding). */
@Timeout(60)
class UnknownHostTest {
    private static BrainServer server;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://one.example:2379",
                        "--listen-metrics-urls=http://127.0.0.1:0",
                        "--brain-ui-keys");
        server = BrainServer.start(CommandLineReader.read(args, Map.of()).config());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void theConsoleIsRefusedUnderAnUnknownName() throws Exception {
        for (String path : List.of("/ui", "/ui/", "/ui/data/status", "/ui/data/keys")) {
            assertThat(get(path, "evil.example:2381"))
                    .as(path)
                    .startsWith("HTTP/1.1 403 ")
                    .contains("unknown host name")
                    .doesNotContain("<html");
        }
    }

    @Test
    void addressesLocalhostAndAdvertisedNamesAreAllowed() throws Exception {
        for (String host : List.of("127.0.0.1:1", "localhost:2381", "one.example", "[::1]:2381")) {
            assertThat(get("/ui", host)).as(host).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void otherPathsAcceptAnyHost() throws Exception {
        assertThat(get("/metrics", "evil.example")).startsWith("HTTP/1.1 200 ");
        assertThat(get("/livez", "evil.example")).startsWith("HTTP/1.1 200 ");
    }

    private static String get(String path, String host) throws IOException {
        InetSocketAddress address = server.metricsAddresses().get(0);
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            String request =
                    "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
