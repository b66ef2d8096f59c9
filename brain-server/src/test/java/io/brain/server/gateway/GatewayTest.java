package io.brain.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.server.Eventually;
import io.brain.server.TestServer;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP requests that become calls. The conformance tests compare complete answers with etcd's. */
class GatewayTest {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String HEADER =
            "{\"header\":{\"cluster_id\":\"11\",\"member_id\":\"22\",\"revision\":\"9\","
                    + "\"raft_term\":\"3\"}";

    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aUnaryCall() throws Exception {
        HttpResponse<String> answer = post("/v3/kv/put", "{\"key\":\"Zm9v\",\"value\":\"YmFy\"}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(HEADER + "}");
        assertThat(answer.headers().firstValue("grpc-metadata-content-type"))
                .hasValue("application/grpc");
        assertThat(server.backend.txns).hasSize(1);
        Eventually.holds(() -> server.backend.held.get() == 0);
    }

    @Test
    void errorsHaveTheFieldsOfAllVersionsOfEtcd() throws Exception {
        HttpResponse<String> answer = post("/v3/kv/range", "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"code\":3,\"message\":\"etcdserver: key is not provided\","
                                + "\"error\":\"etcdserver: key is not provided\"}");
        assertThat(post("/v3/nope", "{}").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/v3/kv/range", "").statusCode()).isEqualTo(501);
    }

    @Test
    void headersBecomeMetadata() throws Exception {
        server.backend.leader = 0;
        HttpRequest request =
                request("POST", "/v3/kv/range", "{\"key\":\"Zg\"}")
                        .header("Grpc-Metadata-hasleader", "true")
                        .build();
        HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("etcdserver: no leader");
    }

    @Test
    void aTooLongValueIsRefusedBeforeItIsComplete() throws Exception {
        String head = "POST /v3/kv/put HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n";
        try (Socket socket = connect()) {
            byte[] part = "x".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream()
                    .write((head + "{\"key\":\"").getBytes(StandardCharsets.US_ASCII));
            // A little over 8 MiB: much more would meet a closed connection.
            for (int i = 0; i < 130; i++) {
                socket.getOutputStream().write(part);
            }
            byte[] answer = socket.getInputStream().readNBytes(12);
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 429");
        }
    }

    @Test
    void requestsOnOneConnectionAreAnsweredInOrder() throws Exception {
        String body = "{\"key\":\"Zm9v\"}";
        String post = "POST /v3/kv/range HTTP/1.1\r\nHost: h\r\nContent-Length: 14\r\n\r\n" + body;
        String last = "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        try (Socket socket = connect()) {
            for (byte next : (post + post + last).getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(next);
            }
            assertThat(text(socket.getInputStream()))
                    .containsSubsequence("200 OK", HEADER, "200 OK", HEADER, "ok\n");
        }
    }

    @Test
    void theClientsEndEndsItsCalls() throws Exception {
        CompletableFuture<Reply<OpResult.Range>> never = new CompletableFuture<>();
        server.backend.onRange = () -> never;
        Socket waiting = begin("/v3/kv/range", "{\"key\":\"Zm9v\"}");
        Eventually.holds(() -> !server.backend.queries.isEmpty());
        waiting.close();
        Eventually.holds(never::isCancelled);
        Socket watching = begin("/v3/watch", "{\"create_request\":{\"key\":\"Zm9v\"}}");
        Eventually.holds(() -> !server.backend.watches.isEmpty());
        assertThat(server.backend.watches.element().closed).isNotDone();
        watching.close();
        Eventually.holds(() -> server.backend.watches.element().closed.isDone());
    }

    @Test
    void aLargeResponseIsReservedUntilTheClientHasReadIt() throws Exception {
        server.backend.onRange = () -> large(20);
        try (Socket socket = begin("/v3/kv/range", "{\"key\":\"Zm9v\"}")) {
            Eventually.holds(() -> server.backend.held.get() == 1);
            int bytes = 0;
            byte[] part = new byte[1 << 20];
            for (int text = (20 << 20) / 3 * 4; bytes < text; ) {
                bytes += socket.getInputStream().read(part);
            }
            Eventually.holds(() -> server.backend.held.get() == 0);
        }
    }

    @Test
    void aClientThatDoesNotReadIsDisconnected() throws Exception {
        server.hurry();
        CompletableFuture<Reply<OpResult.Range>> result = new CompletableFuture<>();
        server.backend.onRange = () -> result;
        try (Socket socket = begin("/v3/kv/range", "{\"key\":\"Zm9v\"}")) {
            Eventually.holds(() -> !server.backend.queries.isEmpty());
            result.complete(large(20).join());
            Eventually.holds(() -> server.backend.held.get() == 0);
            assertThat(socket.isConnected()).isTrue();
        }
    }

    private CompletableFuture<Reply<OpResult.Range>> large(int mebibytes) {
        Bytes value = Bytes.wrap(new byte[mebibytes << 20]);
        return server.backend.range(
                List.of(KeyValueCodec.encode(Bytes.utf8("a"), 2, 5, 3, value, 0)));
    }

    @Test
    void withoutTheGatewayItsPathsAreUnknown() throws Exception {
        server.close();
        server = new TestServer("--enable-grpc-gateway=false", "--cors=http://a:1");
        assertThat(post("/v3/kv/put", "{}").body()).isEqualTo("404 page not found\n");
    }

    @Test
    void onlyListedOriginsAreAllowed() throws Exception {
        server.close();
        server = new TestServer("--cors=http://a:1,http://b:2");
        for (String origin : new String[] {"http://a:1", "http://b:2", "http://c:3"}) {
            String asked = "OPTIONS /v3/kv/put HTTP/1.0\r\nOrigin: " + origin + "\r\n\r\n";
            String answer = raw(asked);
            assertThat(answer).startsWith("HTTP/1.0 200 OK");
            assertThat(answer.toLowerCase(java.util.Locale.ROOT))
                    .matches(
                            text ->
                                    text.contains("allow-origin: " + origin)
                                            != origin.equals("http://c:3"));
        }
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return send("POST", path, body);
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        return CLIENT.send(
                request(method, path, body).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String method, String path, String body) {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        return HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private Socket begin(String path, String body) throws IOException {
        Socket socket = connect();
        String head = "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: ";
        String request = head + body.length() + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return text(socket.getInputStream());
        }
    }

    private static String text(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}
