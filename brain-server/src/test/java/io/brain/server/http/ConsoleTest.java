package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.brain.admin.ctl.CtlCommand;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.tls.ClientIdentity;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The admin endpoints of a server on RocksDB, over HTTP and in {@code brain ctl}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleTest {
    private static final String HOSTILE = "/registry/<img src=x>/\u001b[2J";

    private BrainServer server;
    private Path socket;
    private ManagedChannel channel;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        socket = directory.resolve("metrics");
        Path rules = Files.writeString(directory.resolve("rules"), "/registry/pods/** = 1h\n");
        List<String> args =
                List.of(
                        "--name=one",
                        "--ttl-rules=" + rules,
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379",
                        "--listen-metrics-urls=http://127.0.0.1:0,unix://" + socket,
                        "--auto-compaction-mode=revision",
                        "--auto-compaction-retention=1000",
                        "--brain-ui-keys");
        server = BrainServer.start(CommandLineReader.read(args, Map.of()).config());
        channel =
                NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                        .usePlaintext()
                        .build();
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
        for (int i = 0; i < 20; i++) {
            kv.put(put("/registry/pods/default/p" + i, "x".repeat(100)));
        }
        kv.put(put("k", "first"));
        kv.put(put("k", "second"));
        kv.put(put(HOSTILE, "\u0000\u0001"));
        kv.compact(CompactionRequest.newBuilder().setRevision(3).setPhysical(true).build());
        LeaseGrpc.newBlockingStub(channel)
                .leaseGrant(LeaseGrantRequest.newBuilder().setID(0xabc).setTTL(600).build());
    }

    @AfterAll
    void stop() {
        channel.shutdownNow();
        server.close();
    }

    @Test
    void statusShowsLeaderAndRevision() {
        assertThat(ctl("status")).isZero();
        assertThat(shown())
                .containsPattern("(?m)^name +one$")
                .containsPattern("(?m)^leads +true$")
                .containsPattern("(?m)^revision +24$")
                .containsPattern("(?m)^alarms +none$")
                .containsPattern("(?m)^heldBack +none$")
                .containsPattern("(?m)^[0-9a-f]+ +one +yes +http://127.0.0.1:2379 ");
    }

    @Test
    void stagesShowLatencies() throws Exception {
        assertThat(ctl("stages")).isZero();
        assertThat(shown()).containsPattern("(?m)^commit +\\d").contains("last ");
        JsonObject commit = get("stages").getAsJsonArray("stages").get(2).getAsJsonObject();
        assertThat(commit.get("name").getAsString()).isEqualTo("commit");
        assertThat(commit.get("sinceStart").getAsLong()).isGreaterThanOrEqualTo(23);
    }

    @Test
    void prefixesAreCounted() {
        assertThat(ctl("prefixes")).isZero();
        assertThat(shown())
                .contains("22 keys, 3 prefixes\n")
                .containsPattern("(?m)^/registry/pods/ +20 +\\d")
                .containsPattern("(?m)^/registry/pods/ +\\d+\\.\\d+$");
    }

    @Test
    void watchersLeasesAndCompactionsAreShown() {
        assertThat(ctl("watchers")).isZero();
        assertThat(shown()).startsWith("0 watchers on 0 streams, 0 unsynced\n");
        assertThat(ctl("leases")).isZero();
        assertThat(shown())
                .contains("1 leases\n")
                .containsPattern("(?m)^abc +[1-5]\\d\\d s +600 s$");
        assertThat(ctl("compaction")).isZero();
        assertThat(shown())
                .containsPattern("(?m)^floor +3$")
                .containsPattern("(?m)^automatic +keeps 1000 revisions$")
                .containsPattern("(?m)^20\\d\\d-.*Z +3 +\\d");
    }

    @Test
    void rulesOfExpiryAndDeadlinesAreShown() throws Exception {
        assertThat(ctl("ttl")).isZero();
        assertThat(shown()).containsPattern("(?m)^/registry/pods/\\*\\* +3600 s$");
        assertThat(ctl("ttl", "/registry/pods/default/p7")).isZero();
        assertThat(shown())
                .containsPattern("(?m)^modRevision +\\d+$")
                .containsPattern("(?m)^rule +/registry/pods/\\*\\*$")
                .containsPattern("(?m)^ttl +3600 s$")
                .containsPattern("(?m)^expiresAt +20\\d\\d-.*Z$")
                .containsPattern("(?m)^remaining +3[45]\\d\\d\\.\\d s$");
        assertThat(ctl("ttl", "k")).isZero();
        assertThat(shown())
                .containsPattern("(?m)^rule +-$")
                .containsPattern("(?m)^modRevision +-$")
                .containsPattern("(?m)^expiresAt +-$");
        JsonObject absent = get("ttl?key=/registry/pods/default/none");
        assertThat(absent.get("ttlSeconds").getAsLong()).isEqualTo(3600);
        assertThat(absent.get("modRevision").isJsonNull()).isTrue();
        assertThat(absent.get("expiresAt").isJsonNull()).isTrue();
    }

    @Test
    void jsonIsTheServersAnswer() {
        assertThat(ctl("leases", "-o", "json")).isZero();
        JsonObject json = JsonParser.parseString(shown()).getAsJsonObject();
        assertThat(json.get("count").getAsInt()).isEqualTo(1);
    }

    @Test
    void aClientListenerHasNoAdminEndpoints() {
        String client = "http://127.0.0.1:" + server.clientAddresses().get(0).getPort();
        assertThat(run(List.of("status", "--endpoint", client))).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--listen-metrics-urls");
    }

    @Test
    void aUnixSocketIsAnEndpoint() throws Exception {
        assertThat(run(List.of("status", "--endpoint", "unix://" + socket))).isZero();
        assertThat(shown()).containsPattern("(?m)^leads +true$");
        assertThat(run(List.of("status", "--endpoint", "unix://" + socket + "-none"))).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("cannot reach unix:///");
        assertThat(run(List.of("status", "--endpoint", "unix://"))).isEqualTo(2);
    }

    @Test
    void keysAndValuesAreServedByPages() throws Exception {
        JsonObject page = get("keys?prefix=/registry/pods/&limit=15");
        assertThat(page.get("more").getAsBoolean()).isTrue();
        assertThat(page.get("count").getAsLong()).isEqualTo(20);
        String last =
                page.getAsJsonArray("keys").get(14).getAsJsonObject().get("key64").getAsString();
        JsonObject rest = get("keys?prefix=/registry/pods/&after64=" + last);
        assertThat(rest.getAsJsonArray("keys")).hasSize(5);
        assertThat(get("keys").get("count").getAsLong()).isEqualTo(22);
        JsonObject value = get("value?key=k&revision=22");
        assertThat(value.get("value").getAsString()).isEqualTo("first");
        assertThat(get("value?key=k").get("value").getAsString()).isEqualTo("second");
        assertThat(get("value?key=none").get("found").getAsBoolean()).isFalse();
        JsonObject history = get("history?key=k");
        assertThat(history.getAsJsonArray("versions")).hasSize(2);
        assertThat(history.get("complete").getAsBoolean()).isTrue();
        String keys = get("keys?prefix=/registry/%3Cimg").toString();
        assertThat(keys).contains("\\\\x1b[2J").doesNotContain("\u001b");
    }

    @ParameterizedTest
    @CsvSource({
        "value, 400, missing parameter: key",
        "keys?limit=201, 400, limit is not a number from 0 to 200",
        "value?key=k&revision=2, 400, required revision has been compacted",
        "value?key=k&revision=999, 400, required revision is a future revision",
        "nope, 404, 404 page not found"
    })
    void invalidQueriesAreRefusedWithAMessage(String name, int status, String line)
            throws Exception {
        HttpResponse<String> answer = send("/ui/data/" + name);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).contains(line);
    }

    @Test
    void thePageMayOnlyQueryItsServer() throws Exception {
        HttpResponse<String> page = send("/ui");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
                .startsWith("default-src 'none'; script-src 'sha256-")
                .contains("connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(page.headers().firstValue("cache-control")).hasValue("no-store");
        assertThat(page.headers().firstValue("access-control-allow-origin")).isEmpty();
        assertThat(page.body())
                .doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(")
                .doesNotContainPattern("(src|href)=\"(?!data:,)")
                .doesNotContainPattern("\\son[a-z]+=");
        assertThat(send("/ui/").headers().firstValue("location")).hasValue("/ui");
    }

    private int ctl(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(1, List.of("--endpoint", endpoint()));
        return run(all);
    }

    private int run(List<String> words) {
        out.reset();
        err.reset();
        return new CtlCommand(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        flags -> 0,
                        ClientIdentity::context)
                .run(words);
    }

    private String shown() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String endpoint() {
        InetSocketAddress address = server.metricsAddresses().get(0);
        return "http://127.0.0.1:" + address.getPort();
    }

    private JsonObject get(String name) throws Exception {
        HttpResponse<String> answer = send("/ui/data/" + name);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private HttpResponse<String> send(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(endpoint() + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static PutRequest put(String key, String value) {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(ByteString.copyFromUtf8(value))
                .build();
    }
}
