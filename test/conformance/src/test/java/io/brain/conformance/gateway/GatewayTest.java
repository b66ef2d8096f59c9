package io.brain.conformance.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.Descriptors.Descriptor;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same HTTP requests to a real etcd's gateway and to Brain's; answers byte for byte. */
@Tag("peer")
class GatewayTest {
    private static final int REQUESTS = Integer.getInteger("gateway.requests", 1500);
    private static final long SEED = Long.getLong("gateway.seed", 1);

    /** Types of the requests, by path. */
    private static final Map<String, Descriptor> PATHS =
            Map.ofEntries(
                    Map.entry("kv/range", RangeRequest.getDescriptor()),
                    Map.entry("kv/put", PutRequest.getDescriptor()),
                    Map.entry("kv/deleterange", DeleteRangeRequest.getDescriptor()),
                    Map.entry("kv/txn", TxnRequest.getDescriptor()),
                    Map.entry("kv/compaction", CompactionRequest.getDescriptor()),
                    Map.entry("lease/grant", LeaseGrantRequest.getDescriptor()),
                    Map.entry("lease/revoke", LeaseRevokeRequest.getDescriptor()),
                    Map.entry("lease/keepalive", LeaseKeepAliveRequest.getDescriptor()),
                    Map.entry("lease/timetolive", LeaseTimeToLiveRequest.getDescriptor()),
                    Map.entry("lease/leases", LeaseLeasesRequest.getDescriptor()),
                    Map.entry("kv/lease/revoke", LeaseRevokeRequest.getDescriptor()),
                    Map.entry("kv/lease/timetolive", LeaseTimeToLiveRequest.getDescriptor()),
                    Map.entry("kv/lease/leases", LeaseLeasesRequest.getDescriptor()),
                    Map.entry("cluster/member/list", MemberListRequest.getDescriptor()),
                    Map.entry("maintenance/status", StatusRequest.getDescriptor()),
                    Map.entry("maintenance/hashkv", HashKVRequest.getDescriptor()),
                    Map.entry("maintenance/transfer-leadership", MoveLeaderRequest.getDescriptor()),
                    Map.entry("auth/status", StatusRequest.getDescriptor()),
                    Map.entry("auth/authenticate", AuthenticateRequest.getDescriptor()),
                    Map.entry("auth/user/list", StatusRequest.getDescriptor()),
                    Map.entry("auth/role/list", StatusRequest.getDescriptor()));

    /**
     * Paths of calls that change more than data, or depend on the server: malformed bodies only.
     */
    private static final List<String> MALFORMED_ONLY =
            List.of(
                    "cluster/member/add",
                    "cluster/member/remove",
                    "cluster/member/update",
                    "cluster/member/promote",
                    "maintenance/alarm",
                    "maintenance/downgrade",
                    "maintenance/snapshot",
                    "auth/user/add",
                    "auth/role/grant");

    private static Server etcd;
    private static Server brain;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        etcd = Server.start(ServerCommand.etcd().orElseThrow(), List.of());
        brain = Server.start(ServerCommand.brain(), List.of());
    }

    @AfterAll
    static void stop() {
        if (etcd != null) {
            etcd.close();
        }
        if (brain != null) {
            brain.close();
        }
    }

    /** A request; the body is null for none. */
    private record Call(String method, String path, byte[] body, String header, String value) {
        static Call post(String path, byte[] body) {
            return new Call("POST", path, body, null, null);
        }

        static Call post(String path, String body) {
            return post(path, body.getBytes(StandardCharsets.UTF_8));
        }

        HttpResponse<byte[]> send(Server server) throws IOException, InterruptedException {
            return CLIENT.send(request(server), BodyHandlers.ofByteArray());
        }

        HttpRequest request(Server server) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(server.http() + path))
                            .timeout(Duration.ofSeconds(60))
                            .method(
                                    method,
                                    body == null
                                            ? BodyPublishers.noBody()
                                            : BodyPublishers.ofByteArray(body));
            if (header != null) {
                request.header(header, value);
            }
            return request.build();
        }

        String text() {
            String shown = body == null ? "" : new String(body, StandardCharsets.ISO_8859_1);
            return method + ' ' + path + ' ' + shown.substring(0, Math.min(300, shown.length()));
        }
    }

    @Test
    void generatedRequestsAreAnsweredAsByEtcd() throws Exception {
        JsonRequests requests = new JsonRequests(SEED);
        List<String> paths = PATHS.keySet().stream().sorted().toList();
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            if (requests.number(12) == 0) {
                String path = "/v3/" + MALFORMED_ONLY.get(requests.number(MALFORMED_ONLY.size()));
                calls.add(Call.post(path, "[" + i));
                continue;
            }
            boolean data = requests.number(2) == 0;
            String path =
                    data
                            ? requests.pick("kv/range", "kv/put", "kv/txn", "kv/deleterange")
                            : paths.get(requests.number(paths.size()));
            String prefix = requests.number(15) == 0 ? "/v3beta/" : "/v3/";
            boolean wellFormed = requests.number(10) > 0;
            byte[] body = requests.body(PATHS.get(path), wellFormed);
            calls.add(Call.post(prefix + path, body));
        }
        compare(calls);
    }

    @Test
    void oddRequestsAreAnsweredAsByEtcd() throws Exception {
        List<Call> calls = new ArrayList<>();
        for (String method : List.of("GET", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS")) {
            for (String path :
                    List.of("/v3/kv/range", "/v3/watch", "/v3/nope", "/v3/", "/v3beta/kv/put")) {
                calls.add(new Call(method, path, null, null, null));
            }
        }
        for (String path :
                List.of(
                        "/v3",
                        "/v3/",
                        "/v3/kv",
                        "/v3/kv/range/",
                        "/v3//kv/range",
                        "/v3/./kv/range",
                        "/v3/KV/range",
                        "/v3/kv/rangestream",
                        "/v3/kv/range?x=1",
                        "/v3/kv%2Frange",
                        "/v3/kv/r%61nge",
                        "/v3alpha/kv/range",
                        "/v2/keys",
                        "/v2",
                        "/v3/kv/range:x",
                        "/v3/maintenance",
                        "/v3/openapi",
                        "/openapi",
                        "/v3/lease/lease/grant")) {
            calls.add(Call.post(path, "{\"key\":\"YQ==\"}"));
        }
        for (String header :
                List.of(
                        "Grpc-Timeout: 5",
                        "Grpc-Timeout: 5x",
                        "Grpc-Timeout: 9H",
                        "Authorization: abc",
                        "Authorization: Bearer x.1",
                        "Grpc-Metadata-hasleader: true",
                        "Grpc-Metadata-a-Bin: ***",
                        "Grpc-Metadata-token: t",
                        "Origin: http://other",
                        "Content-Type: application/x-www-form-urlencoded",
                        "Content-Type: text/plain",
                        "Accept: text/html",
                        "Accept: application/json")) {
            String[] parts = header.split(": ", 2);
            byte[] body = "{\"key\":\"YQ==\"}".getBytes(StandardCharsets.UTF_8);
            calls.add(new Call("POST", "/v3/kv/range", body, parts[0], parts[1]));
        }
        for (int bytes : new int[] {1_500_000, 1_600_000, 2_100_000, 3_000_000}) {
            String value = Base64.getEncoder().encodeToString(new byte[bytes]);
            calls.add(Call.post("/v3/kv/put", "{\"key\":\"YQ==\",\"value\":\"" + value + "\"}"));
        }
        calls.add(Call.post("/v3/kv/range", "{\"key\":\"YQ==\"}"));
        for (String action :
                List.of("{}", "{\"action\":\"GET\"}", "{\"action\":\"DEACTIVATE\",\"alarm\":2}")) {
            calls.add(Call.post("/v3/maintenance/alarm", action));
        }
        for (String version : List.of("3.6", "3.6.0", "3", "", "3.5.0", "x", "3.8.0")) {
            calls.add(Call.post("/v3/maintenance/downgrade", "{\"version\":\"" + version + "\"}"));
        }
        compare(calls);
    }

    private static void compare(List<Call> calls) throws Exception {
        List<String> differences = new ArrayList<>();
        for (Call call : calls) {
            String expected = JsonAnswer.of(call.send(etcd));
            String actual = JsonAnswer.of(call.send(brain));
            if (!expected.equals(actual)) {
                differences.add(call.text() + "\netcd:  " + expected + "\nbrain: " + actual);
            }
        }
        System.out.printf(
                "gateway: %d requests, %d differences%n", calls.size(), differences.size());
        assertThat(differences).as("seed " + SEED).isEmpty();
    }

    /** Watches of a fixed history: all lines, from several revisions and with all options. */
    @Test
    void watchesSendTheSameLines() throws Exception {
        for (Server server : List.of(etcd, brain)) {
            for (int i = 0; i < 20; i++) {
                String key =
                        Base64.getEncoder()
                                .encodeToString(("w" + i % 4).getBytes(StandardCharsets.UTF_8));
                Call.post("/v3/kv/put", "{\"key\":\"" + key + "\",\"value\":\"AP8=\"}")
                        .send(server);
            }
            Call.post("/v3/kv/deleterange", "{\"key\":\"dzA=\"}").send(server);
        }
        List<String> watches =
                List.of(
                        "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM}}",
                        "{\"createRequest\":{\"key\":\"dzA=\",\"rangeEnd\":\"eA==\",\"startRevision\":\"FROM\"}}",
                        "{\"create_request\":{\"key\":\"dzE=\",\"start_revision\":FROM,\"prev_kv\":true,\"watch_id\":\"7\"}}",
                        "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM,\"filters\":[\"NOPUT\"]}}",
                        "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM,\"filters\":[1,0]}}",
                        "{\"create_request\":{\"key\":\"dzA=\"}}{\"create_request\":{\"key\":\"dzA=\",\"watch_id\":5}}",
                        "{\"create_request\":{\"key\":\"dzA=\"}}"
                                + " {\"cancel_request\":{\"watch_id\":0}}",
                        "{\"create_request\":{\"key\":\"dzA=\"}}{\"progress_request\":{}}",
                        "{\"create_request\":{\"key\":\"\"}}",
                        "{\"create_request\":{\"key\":\"dzA=\",\"range_end\":\"dw==\"}}");
        long from = revision() - 21;
        List<String> differences = new ArrayList<>();
        for (String watch : watches) {
            Call call = Call.post("/v3/watch", watch.replace("FROM", Long.toString(from)));
            CompletableFuture<List<String>> expected = stream(etcd, call);
            List<String> actual = stream(brain, call).join();
            if (!expected.join().equals(actual)) {
                differences.add(call.text() + "\netcd:  " + expected.join() + "\nbrain: " + actual);
            }
            assertThat(actual).as(call.text()).isNotEmpty();
        }
        System.out.printf(
                "gateway: %d watches, %d differences%n", watches.size(), differences.size());
        assertThat(differences).isEmpty();
    }

    /** The lines that arrive within a second. */
    private static CompletableFuture<List<String>> stream(Server server, Call call) {
        return CompletableFuture.supplyAsync(
                () -> {
                    StringBuilder text = new StringBuilder();
                    try {
                        HttpResponse<InputStream> answer =
                                CLIENT.send(call.request(server), BodyHandlers.ofInputStream());
                        long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
                        try (InputStream in = answer.body()) {
                            while (System.nanoTime() < end) {
                                if (in.available() > 0) {
                                    text.append(
                                            new String(
                                                    in.readNBytes(in.available()),
                                                    StandardCharsets.UTF_8));
                                } else {
                                    Thread.sleep(10);
                                }
                            }
                        }
                    } catch (IOException | InterruptedException failure) {
                        text.append(failure);
                    }
                    return JsonAnswer.lines(text.toString());
                });
    }

    private static long revision() throws Exception {
        long last = 0;
        for (Server server : List.of(etcd, brain)) {
            String body =
                    new String(
                            Call.post("/v3/kv/range", "{\"key\":\"YQ==\"}").send(server).body(),
                            StandardCharsets.UTF_8);
            Matcher revision = Pattern.compile("\"revision\":\"(\\d+)\"").matcher(body);
            assertThat(revision.find()).isTrue();
            long next = Long.parseLong(revision.group(1));
            assertThat(last == 0 || last == next).as("same histories").isTrue();
            last = next;
        }
        return last;
    }

    /** The blobs of a snapshot are a database and its digest, in lines of the same form. */
    @Test
    void aSnapshotIsADatabaseWithItsDigest() throws Exception {
        for (Server server : List.of(etcd, brain)) {
            HttpResponse<byte[]> answer = Call.post("/v3/maintenance/snapshot", "{}").send(server);
            assertThat(answer.statusCode()).isEqualTo(200);
            java.security.MessageDigest digest = java.security.MessageDigest.getInstance("SHA-256");
            byte[] last = {};
            for (String line : new String(answer.body(), StandardCharsets.UTF_8).split("\n", -1)) {
                Matcher blob =
                        Pattern.compile(
                                        "\\{\"result\":\\{(\"remaining_bytes\":\"\\d+\",)?\"blob\":\"([^\"]+)\""
                                            + ",\"version\":\"3.7.0\"\\}\\}")
                                .matcher(line);
                if (!line.isEmpty()) {
                    assertThat(blob.matches())
                            .as(line.substring(0, Math.min(100, line.length())))
                            .isTrue();
                    digest.update(last);
                    last = Base64.getDecoder().decode(blob.group(2));
                }
            }
            assertThat(digest.digest()).isEqualTo(last);
        }
    }
}
