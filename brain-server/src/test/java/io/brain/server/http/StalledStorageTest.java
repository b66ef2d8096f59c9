package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.server.Eventually;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Health checks while the storage stalls, and after a late answer. */
class StalledStorageTest {
    private static final String TIMED_OUT = "failed: etcdserver: request timed out\n";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final CompletableFuture<Reply<OpResult.Range>> read = new CompletableFuture<>();
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aHangingReadMakesReadyFalseInTimeAndIsCancelled() throws Exception {
        server.backend.onRange = () -> read;
        server.backend.readable = new CompletableFuture<>();
        long since = System.nanoTime();
        HttpResponse<String> answer = get("/readyz");
        Duration taken = Duration.ofNanos(System.nanoTime() - since);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .isEqualTo(
                        "[+]data_corruption ok\n[-]serializable_read "
                                + TIMED_OUT
                                + "[-]linearizable_read "
                                + TIMED_OUT
                                + "[+]non_learner ok\n\n");
        assertThat(taken).isBetween(Duration.ofMillis(1400), Duration.ofSeconds(10));
        // They may be cancelled a moment after the answer.
        Eventually.holds(read::isCancelled);
        Eventually.holds(server.backend.readable::isCancelled);
    }

    @Test
    void aLateAnswerIsReleased() throws Exception {
        CompletableFuture<Reply<OpResult.Range>> stubborn =
                new CompletableFuture<>() {
                    @Override
                    public boolean cancel(boolean interrupt) {
                        return false;
                    }
                };
        server.backend.onRange = () -> stubborn;
        assertThat(get("/readyz/serializable_read").statusCode()).isEqualTo(503);
        Reply<OpResult.Range> late = server.backend.range(List.of()).join();
        assertThat(server.backend.held).hasValue(1);
        stubborn.complete(late);
        assertThat(server.backend.held).hasValue(0);
    }

    @Test
    void readyRecoversWithTheStorage() throws Exception {
        server.backend.onRange = () -> read;
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        server.backend.onRange = () -> server.backend.range(List.of());
        assertThat(get("/readyz").body()).isEqualTo("ok\n");
    }

    @Test
    void healthFailsWithEtcdsText() throws Exception {
        server.backend.onRange = () -> read;
        server.backend.readable = new CompletableFuture<>();
        String body =
                "{\"health\":\"false\",\"reason\":\"RANGE ERROR:etcdserver: request timed"
                        + " out\"}\n";
        assertThat(get("/health").body()).isEqualTo(body);
        assertThat(get("/health?serializable=true").body()).isEqualTo(body);
    }

    @Test
    void aStalledStorageDoesNotFailLiveness() throws Exception {
        server.backend.onRange = () -> read;
        assertThat(get("/livez?verbose").body()).isEqualTo("[+]serializable_read ok\nok\n");
        for (ErrorKind kind : ErrorKind.values()) {
            server.backend.onRange = () -> FakeBackend.failed(kind);
            boolean helps = kind == ErrorKind.STOPPED || kind == ErrorKind.INTERNAL;
            assertThat(get("/livez").statusCode()).as(kind.name()).isEqualTo(helps ? 503 : 200);
            assertThat(get("/readyz").statusCode()).as(kind.name()).isEqualTo(503);
        }
    }

    @Test
    void aStalledWriteMakesReadyFalse() throws Exception {
        server.oldestWriteNanos.set(Duration.ofMillis(1249).toNanos());
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        server.oldestWriteNanos.set(Duration.ofMillis(2100).toNanos());
        assertThat(get("/readyz").body())
                .contains("[+]serializable_read ok\n")
                .contains("[-]linearizable_read failed: storage write pending for 2.1" + " s\n");
        assertThat(get("/health").body()).contains("RANGE ERROR:storage write pending for 2.1 s");
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/health?serializable=true").statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> get(String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        return CLIENT.send(
                HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
