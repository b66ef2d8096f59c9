package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.Http2Frames;
import io.brain.server.TestServer;
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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallOfALostConnectionIsCountedAsCancelled(boolean reset) throws Exception {
        try (TestServer server = new TestServer()) {
            Http2Frames call = new Http2Frames().call(1, "/etcdserverpb.Watch/Watch");
            try (Socket client = new Socket()) {
                client.setSoLinger(reset, 0); // true: closed by RST
                client.connect(server.address());
                client.getOutputStream().write(call.bytes());
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
}
