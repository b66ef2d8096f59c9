package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.brain.server.TestServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ProfilesTest {
    private static TestServer server;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir Path directory;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer("--enable-pprof");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void thereAreNoneWithoutTheFlag() throws Exception {
        try (TestServer other = new TestServer()) {
            for (String page : List.of("", "goroutine", "profile?seconds=1")) {
                assertThat(text(other.address(), page).statusCode()).isEqualTo(404);
            }
        }
        assertThat(text(server.metricsAddress(), "").statusCode()).isEqualTo(404);
    }

    @Test
    void aRecordingIsAFileWithoutTheEnvironment() throws Exception {
        HttpResponse<byte[]> answer = profile("1").get();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValue("application/octet-stream");
        Path file = directory.resolve("profile.jfr");
        Files.write(file, answer.body());
        Set<String> types =
                RecordingFile.readAllEvents(file).stream()
                        .map(RecordedEvent::getEventType)
                        .map(type -> type.getName())
                        .collect(Collectors.toSet());
        assertThat(types)
                .contains("jdk.JVMInformation", "jdk.ActiveSetting")
                .doesNotContain("jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty");
    }

    @Test
    void oneIsMadeAtATime() throws Exception {
        CompletableFuture<HttpResponse<byte[]>> first = profile("3");
        CompletableFuture<HttpResponse<byte[]>> second = profile("3");
        assertThat(List.of(first.get().statusCode(), second.get().statusCode()))
                .containsExactlyInAnyOrder(200, 500);
        assertThat(profile("1").get().statusCode()).isEqualTo(200);
    }

    @Test
    void aLongOneIsRefused() throws Exception {
        for (String seconds : List.of("61", "999999999", "99999999999999999999")) {
            HttpResponse<byte[]> answer = profile(seconds).get();
            assertThat(answer.statusCode()).as(seconds).isEqualTo(400);
        }
    }

    @Test
    void theStacksOfAllThreadsAreShown() throws Exception {
        HttpResponse<String> answer = text(server.address(), "goroutine?debug=2");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .contains(Thread.currentThread().getName() + " #")
                .contains(getClass().getName() + ".theStacksOfAllThreadsAreShown(");
        assertThat(text(server.address(), "").body()).contains("profile?seconds=30", "goroutine");
    }

    @Test
    void aStopEndsTheRecording() throws Exception {
        CompletableFuture<HttpResponse<byte[]>> running;
        Logger log = (Logger) LoggerFactory.getLogger(HttpHandler.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        try (TestServer other = new TestServer("--enable-pprof")) {
            running =
                    CLIENT.sendAsync(
                            request(other.address(), "profile?seconds=60"),
                            BodyHandlers.ofByteArray());
            while (!text(other.address(), "goroutine").body().contains("brain-profile #")) {
                Thread.onSpinWait();
            }
        }
        assertThat(
                        running.handle(
                                        (answer, failure) ->
                                                failure != null || answer.statusCode() == 503)
                                .get())
                .isTrue();
        log.detachAppender(lines);
        assertThat(lines.list).isEmpty();
    }

    private static CompletableFuture<HttpResponse<byte[]>> profile(String seconds) {
        return CLIENT.sendAsync(
                request(server.address(), "profile?seconds=" + seconds),
                BodyHandlers.ofByteArray());
    }

    private static HttpResponse<String> text(InetSocketAddress address, String page)
            throws Exception {
        return CLIENT.send(request(address, page), BodyHandlers.ofString());
    }

    private static HttpRequest request(InetSocketAddress address, String page) {
        return HttpRequest.newBuilder(
                        URI.create(
                                "http://127.0.0.1:" + address.getPort() + "/debug/pprof/" + page))
                .build();
    }
}
