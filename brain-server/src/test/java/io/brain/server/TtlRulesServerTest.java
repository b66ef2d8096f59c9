package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules of expiry from a file, on a server with RocksDB. */
class TtlRulesServerTest {
    @TempDir private Path directory;

    @Test
    @Timeout(60)
    void theRulesOfTheFileApplyAndChangeWithIt() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules"), "/e/** = 1s\n");
        try (BrainServer server = start(rules)) {
            ManagedChannel channel =
                    NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                            .usePlaintext()
                            .build();
            try {
                KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
                put(kv, "/e/a");
                put(kv, "/f/a");
                awaitGone(kv, "/e/a");
                assertThat(exists(kv, "/f/a")).isTrue();
                // A key may be gone before it is counted.
                while (!page(server).contains("brain_ttl_expired_keys_total{rule=\"/e/**\"} 1\n")) {
                    Thread.sleep(20);
                }
                assertThat(page(server)).contains("brain_ttl_rules 1\n");

                replace(rules, "/f/** = soon\n");
                put(kv, "/e/b");
                awaitGone(kv, "/e/b"); // the last valid rules
                replace(rules, "/f/** = 1s\n/g/** = 1h\n");
                while (!page(server).contains("brain_ttl_rules 2\n")) {
                    Thread.sleep(20);
                }
                put(kv, "/f/b");
                awaitGone(kv, "/f/b");
                // No rule matched this one when it was put.
                assertThat(exists(kv, "/f/a")).isTrue();
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @Test
    void anInvalidFileStopsTheStart() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules"), "\n/e/** = 1s\n/e = ");
        assertThatThrownBy(() -> start(rules).close())
                .isInstanceOf(ServerException.class)
                .hasMessage("cannot load " + rules + ": line 3: invalid duration \"\"");
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> start(missing).close())
                .isInstanceOf(ServerException.class)
                .hasMessage("cannot read " + missing + ": no such file");
    }

    @Test
    void aFileThatIsNotUtf8StopsTheStart() throws Exception {
        byte[] latin = "/caf\u00e9/** = 1s".getBytes(StandardCharsets.ISO_8859_1);
        Path rules = Files.write(directory.resolve("rules"), latin);
        assertThatThrownBy(() -> start(rules).close())
                .isInstanceOf(ServerException.class)
                .hasMessage("cannot load " + rules + ": not UTF-8");
    }

    /** The server never sees a part of the text. */
    private static void replace(Path file, String text) throws Exception {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private BrainServer start(Path rules) throws Exception {
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379",
                        "--listen-metrics-urls=http://127.0.0.1:0",
                        "--ttl-rules=" + rules);
        return BrainServer.start(CommandLineReader.read(args, Map.of()).config());
    }

    private static void put(KVGrpc.KVBlockingStub kv, String key) {
        kv.put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build());
    }

    private static boolean exists(KVGrpc.KVBlockingStub kv, String key) {
        RangeRequest range = RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
        return kv.range(range).getCount() == 1;
    }

    private static void awaitGone(KVGrpc.KVBlockingStub kv, String key) throws Exception {
        while (exists(kv, key)) {
            Thread.sleep(20);
        }
    }

    private static String page(BrainServer server) throws Exception {
        int port = server.metricsAddresses().get(0).getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
