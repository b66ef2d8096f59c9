package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and codes of etcd 3.7.3. */
class HttpTest {
    private static TestServer server;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void healthy() {
        server.backend.alarms.clear();
        server.backend.leader = FakeBackend.MEMBER;
        server.oldestWriteNanos.set(0);
        server.backend.readable = CompletableFuture.completedFuture(null);
        server.backend.onRange = () -> server.backend.range(java.util.List.of());
    }

    @Test
    void debugVarsNamesTheProcessAndItsMemory() throws Exception {
        HttpResponse<String> answer = get("/debug/vars");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValue("application/json; charset=utf-8");
        JsonObject vars = JsonParser.parseString(answer.body()).getAsJsonObject();
        assertThat(vars.getAsJsonArray("cmdline").get(0).getAsString()).endsWith("java");
        assertThat(vars.get("file_descriptor_limit").getAsLong()).isPositive();
        assertThat(vars.getAsJsonObject("memstats").get("HeapAlloc").getAsLong()).isPositive();
    }

    @Test
    void healthIsTrue() throws Exception {
        HttpResponse<String> answer = get("/health");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"health\":\"true\",\"reason\":\"\"}");
        assertThat(answer.headers().firstValue("content-type"))
                .hasValue("text/plain; charset=utf-8");
        assertThat(answer.headers().firstValue("access-control-allow-origin")).hasValue("*");
        assertThat(server.backend.held).hasValue(0);
    }

    @Test
    void healthFailsUnderAnAlarmUnlessItIsExcluded() throws Exception {
        server.backend.alarms.add(new Alarm(0, Alarm.NO_SPACE));
        HttpResponse<String> answer = get("/health");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .isEqualTo("{\"health\":\"false\",\"reason\":\"ALARM NOSPACE\"}\n");
        assertThat(get("/health?exclude=NOSPACE").statusCode()).isEqualTo(200);
        server.backend.alarms.add(new Alarm(1, Alarm.CORRUPT));
        assertThat(get("/health?exclude=NOSPACE").body())
                .isEqualTo("{\"health\":\"false\",\"reason\":\"ALARM CORRUPT\"}\n");
        assertThat(get("/health?exclude=NOSPACE&exclude=CORRUPT").statusCode()).isEqualTo(200);
    }

    @Test
    void healthNeedsALeaderUnlessSerializable() throws Exception {
        server.backend.readable =
                CompletableFuture.failedFuture(new BackendException(ErrorKind.TIMEOUT));
        assertThat(get("/health").body())
                .isEqualTo(
                        "{\"health\":\"false\",\"reason\":\"RANGE ERROR:etcdserver: request timed"
                                + " out\"}\n");
        server.backend.leader = 0;
        assertThat(get("/health").body())
                .isEqualTo("{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}\n");
        assertThat(get("/health?serializable=true").statusCode()).isEqualTo(200);
    }

    @Test
    void liveAndReadyAreShortUnlessVerbose() throws Exception {
        assertThat(get("/livez").body()).isEqualTo("ok\n");
        assertThat(get("/readyz").body()).isEqualTo("ok\n");
        assertThat(get("/livez?verbose").body()).isEqualTo("[+]serializable_read ok\nok\n");
        assertThat(get("/readyz?verbose").body())
                .isEqualTo(
                        "[+]data_corruption ok\n[+]serializable_read ok\n[+]linearizable_read"
                                + " ok\n[+]non_learner ok\nok\n");
        assertThat(get("/readyz?verbose&exclude=linearizable_read").body())
                .doesNotContain("linearizable");
        assertThat(get("/readyz?exclude=nope").body()).isEqualTo("ok\n");
        assertThat(get("/readyz/linearizable_read").body()).isEqualTo("ok\n");
        assertThat(get("/livez/linearizable_read").statusCode()).isEqualTo(404);
        assertThat(get("/readyz").headers().firstValue("x-content-type-options"))
                .hasValue("nosniff");
    }

    @Test
    void readyListsEveryCheckIfOneFails() throws Exception {
        server.backend.alarms.add(new Alarm(1, Alarm.CORRUPT));
        server.backend.readable =
                CompletableFuture.failedFuture(new BackendException(ErrorKind.NO_LEADER));
        HttpResponse<String> answer = get("/readyz");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .isEqualTo(
                        """
                        [-]data_corruption failed: alarm activated: CORRUPT
                        [+]serializable_read ok
                        [-]linearizable_read failed: etcdserver: no leader
                        [+]non_learner ok

                        """);
        assertThat(get("/readyz?exclude=data_corruption&exclude=linearizable_read").statusCode())
                .isEqualTo(200);
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        server.backend.onRange = () -> FakeBackend.failed(ErrorKind.STOPPED);
        assertThat(get("/livez").body())
                .isEqualTo("[-]serializable_read failed: etcdserver: server stopped\n\n");
    }

    @Test
    void versionIsThatOfTheApiOnClientListenersOnly() throws Exception {
        HttpResponse<String> answer = get("/version");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"etcdserver\":\"3.7.3\",\"etcdcluster\":\"3.7.0\",\"storage\":\"3.7.0\"}");
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(get(server.metricsAddress(), "/version").statusCode()).isEqualTo(404);
        HttpResponse<String> health = get(server.metricsAddress(), "/health");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.headers().firstValue("access-control-allow-origin")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/nope", "/v2/keys", "/health/", "/readyz/nope", "/metrics/x"})
    void unknownPathsAreNotFound(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).isEqualTo("404 page not found\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "HEAD"})
    void healthAndVersionAllowGetOnly(String method) throws Exception {
        for (String path : new String[] {"/health", "/livez", "/readyz", "/version"}) {
            HttpResponse<String> answer = send(method, path);
            assertThat(answer.statusCode()).isEqualTo(405);
            assertThat(answer.headers().firstValue("allow")).hasValue("GET");
            assertThat(answer.body())
                    .isEqualTo(method.equals("HEAD") ? "" : "Method Not Allowed\n");
        }
    }

    @Test
    void crossOriginRequestsAreAllowed() throws Exception {
        HttpResponse<String> answer = send("OPTIONS", "/health");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("access-control-allow-methods"))
                .hasValue("POST, GET, OPTIONS, PUT, DELETE");
    }

    @Test
    void metricsHaveEtcdsNames() throws Exception {
        for (InetSocketAddress address :
                new InetSocketAddress[] {server.address(), server.metricsAddress()}) {
            HttpResponse<String> answer = get(address, "/metrics");
            assertThat(answer.headers().firstValue("content-type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
            assertThat(answer.body())
                    .contains(
                            "# TYPE grpc_server_handled_total counter\n",
                            "grpc_server_handled_total{grpc_code=\"OK\",grpc_method=\"Range\","
                                    + "grpc_service=\"etcdserverpb.KV\",grpc_type=\"unary\"} 0\n",
                            "etcd_server_healthcheck{type=\"readyz\",name=\"data_corruption\"}",
                            "jvm_memory_used_bytes");
        }
    }

    @Test
    void requestsOnOneConnectionAreAnsweredInOrder() throws Exception {
        String twice = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\nGET /nope HTTP/1.1\r\nHost: h\r\n";
        String answer = raw(twice + "Connection: close\r\n\r\n");
        assertThat(answer).containsSubsequence("200 OK", "ok\n", "404 Not Found", "not found\n");
    }

    @Test
    void anHttp10ConnectionIsClosedUnlessKeptAlive() throws Exception {
        assertThat(raw("GET /livez HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.0 200 OK\r\n")
                .doesNotContainIgnoringCase("connection:")
                .endsWith("ok\n");
        String kept = "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
        assertThat(raw(kept + "GET /nope HTTP/1.0\r\n\r\n"))
                .containsSubsequence("200 OK", "connection: keep-alive", "404 Not Found");
    }

    @ParameterizedTest
    @CsvSource({
        "what is this, 400 Bad Request",
        "GET nope HTTP/1.1, 400 Bad Request",
        "GET /%zz HTTP/1.1, 400 Bad Request",
        "GET /livez HTTP/1.1, 400 Bad Request: missing required Host header",
        "GET /livez HTTP/3.0, 505 HTTP Version Not Supported: unsupported protocol version",
    })
    void malformedRequestsAreRefusedAsInEtcd(String line, String refusal) throws Exception {
        String host = refusal.endsWith("header") ? "" : "Host: h\r\n";
        assertThat(raw(line + "\r\n" + host + "\r\n"))
                .startsWith("HTTP/1.1 " + refusal + "\r\n")
                .endsWith("\r\n\r\n" + refusal);
        assertThat(raw("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"))
                .startsWith("HTTP/1.1 400 Bad Request\r\n");
        String post = "POST /v3/kv/range HTTP/1.1\r\nHost: a\r\n";
        assertThat(raw(post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 501 Not Implemented");
        assertThat(raw(post + "Expect: x\r\nContent-Length: 0\r\n\r\n"))
                .startsWith("HTTP/1.1 417 Expectation Failed");
    }

    @ParameterizedTest
    @CsvSource({
        "//livez, /livez",
        "/x/../livez?verbose&a=b, /livez?verbose&a=b",
        "/./a//b/, /a/b/",
        "/.., /",
        "//livez?, /livez",
        "/v3?, /v3/",
        "/v3?a=b, /v3/?a=b",
        "//v3?a=b, /v3/?a=b",
        "/v3/., /v3/",
    })
    void anUncleanPathIsRedirected(String path, String straight) throws Exception {
        String rest = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        String shown = straight.replace("&", "&amp;");
        assertThat(raw("GET " + path + rest))
                .startsWith("HTTP/1.1 307 Temporary Redirect\r\n")
                .containsIgnoringCase("Location: " + straight + "\r\n")
                .endsWith("<a href=\"" + shown + "\">Temporary Redirect</a>.\n\n");
        assertThat(raw("POST " + path + rest)).contains("307").endsWith("\r\n\r\n");
        assertThat(raw("HEAD " + path + rest))
                .contains("307", "text/html")
                .doesNotContainIgnoringCase("content-length")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/livez%2fserializable_read", "/debug%2Fvars", "/v3%2fkv/range"})
    void anEscapedSlashEndsNoSegment(String path) throws Exception {
        assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 404 Not Found\r\n")
                .endsWith("404 page not found\n");
    }

    @Test
    void aNewerMinorVersionIsAnsweredInOneOne() throws Exception {
        assertThat(raw("GET /livez HTTP/1.2\r\nHost: h\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n");
    }

    @Test
    void malformedParametersAreSkipped() throws Exception {
        for (String query : new String[] {"exclude=%zz&verbose", "a;b&verbose", "verbose=%31"}) {
            String request = "GET /livez?" + query + " HTTP/1.1\r\nHost: h\r\n";
            assertThat(raw(request + "Connection: close\r\n\r\n"))
                    .endsWith("[+]serializable_read ok\nok\n");
        }
        String request = "GET /livez?verbose;x HTTP/1.1\r\nHost: h\r\n";
        assertThat(raw(request + "Connection: close\r\n\r\n")).endsWith("\r\n\r\nok\n");
    }

    @Test
    void absoluteUrisEscapesAndBareNewLinesAreAccepted() throws Exception {
        assertThat(raw("GET http://other/livez HTTP/1.0\r\n\r\n")).endsWith("\nok\n");
        assertThat(raw("GET /%6civez HTTP/1.0\n\n")).endsWith("\nok\n");
        assertThat(raw("OPTIONS * HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.0 200 OK")
                .doesNotContainIgnoringCase("access-control");
    }

    @Test
    void bodiesAreSkippedAndNotAwaited() throws Exception {
        String head = "POST /health HTTP/1.1\r\nHost: h\r\nContent-Length: ";
        assertThat(raw(head + "100000\r\nConnection: close\r\n\r\n"))
                .contains("405", "Not Allowed");
        assertThat(raw(head + "3\r\nExpect: 100-continue\r\n\r\n"))
                .startsWith("HTTP/1.1 405")
                .containsIgnoringCase("connection: close");
        String next = "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        assertThat(raw(head + "100000\r\n\r\n" + "x".repeat(100_000) + next))
                .containsSubsequence("405", "Not Allowed", "200 OK", "ok\n");
    }

    @Test
    void aConnectionWithAnEndlessBodyIsClosed() throws Exception {
        String head = "POST /health HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n";
        // The connection may be reset, because unread bytes remain.
        try {
            assertThat(raw(head + "x".repeat(1_000_000))).contains("405");
        } catch (SocketException reset) {
            assertThat(reset).hasMessageMatching("(?s).*(reset|pipe|aborted).*");
        }
        assertThat(get("/livez").statusCode()).isEqualTo(200);
    }

    /** A client that is still sending would otherwise fail before it reads the answer. */
    @Test
    void aConnectionIsNotResetAtOnceIfItsBodyIsUnread() throws Exception {
        String head = "POST /health HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n";
        boolean open = false;
        for (int i = 0; i < 20 && !open; i++) { // a slow machine may be late
            open = staysOpen(head + "x".repeat(300_000));
        }
        assertThat(open).isTrue();
    }

    /** True if the server takes bytes after the end of its answer. */
    private static boolean staysOpen(String request) throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
            Thread.sleep(50);
            socket.getOutputStream().write('x');
            Thread.sleep(50); // a reset would come now
            socket.getOutputStream().write('x');
            return true;
        } catch (SocketException reset) {
            return false;
        }
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return get(server.address(), path);
    }

    private static HttpResponse<String> get(InetSocketAddress address, String path)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
        return CLIENT.send(
                HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        return CLIENT.send(
                HttpRequest.newBuilder(uri)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Sends bytes and reads until the server closes the connection. */
    private static String raw(String bytes) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
