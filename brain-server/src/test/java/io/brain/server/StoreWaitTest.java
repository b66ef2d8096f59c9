package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.brain.server.process.StoreWait;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.testkit.FreePorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The start of a server whose store is unavailable. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class StoreWaitTest {
    private static final Duration MILLI = Duration.ofMillis(1);

    private final CompletableFuture<Void> stop = new CompletableFuture<>();
    private final StoreWait wait = new StoreWait(stop, MILLI, MILLI);

    @TempDir Path directory;

    @Test
    void aStepIsRepeatedWhileTheStoreIsUnavailable() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        String result =
                wait.repeat(
                        () -> {
                            if (attempts.incrementAndGet() < 5) {
                                throw new StorageException(Kind.UNAVAILABLE, "of the test");
                            }
                            return "there";
                        });
        assertThat(result).isEqualTo("there");
    }

    @Test
    void otherErrorsAreNotRepeated() {
        assertThatThrownBy(
                        () ->
                                wait.repeat(
                                        () -> {
                                            throw new StorageException(Kind.REFUSED, "not ours");
                                        }))
                .hasMessage("not ours");
        assertThatThrownBy(
                        () ->
                                wait.repeat(
                                        () -> {
                                            throw new IllegalArgumentException("a wrong flag");
                                        }))
                .hasMessage("a wrong flag");
    }

    @Test
    void aHangingAttemptIsAbandonedOnStop() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Thread stopper =
                new Thread(
                        () -> {
                            try {
                                hangs.await();
                            } catch (InterruptedException ended) {
                                return;
                            }
                            stop.complete(null);
                        });
        stopper.start();
        assertThatThrownBy(
                        () ->
                                wait.repeat(
                                        () -> {
                                            hangs.countDown();
                                            return awaitQuietly(never);
                                        }))
                .isInstanceOf(StoreWait.StopException.class);
        never.countDown();
        stopper.join();
    }

    @Test
    void theWaitForALeaderEndsOnStop() {
        stop.complete(null);
        assertThatThrownBy(() -> wait.await(new CompletableFuture<>()))
                .isInstanceOf(StoreWait.StopException.class);
    }

    @Test
    void withoutPdTheServerIsLiveAndNotReady() throws Exception {
        int pd = FreePorts.row(2);
        int metrics = pd + 1;
        BrainConfig config = config(pd, metrics);
        CompletableFuture<ServerException> ended = new CompletableFuture<>();
        Thread starter =
                new Thread(
                        () -> {
                            try {
                                BrainServer.start(config, stop).close();
                            } catch (ServerException end) {
                                ended.complete(end);
                            }
                        });
        starter.start();
        awaitStatus(metrics, "/livez", 200);
        awaitStatus(metrics, "/readyz", 503);
        awaitStatus(metrics, "/health", 503);
        Thread.sleep(1000);
        assertThat(ended).as("PD may come later").isNotDone();
        stop.complete(null);
        assertThat(ended.get(1, TimeUnit.MINUTES)).isInstanceOf(StoreWait.StopException.class);
        starter.join();
    }

    @Test
    void anUnknownOptionIsRefusedWithoutPd() throws Exception {
        BrainConfig config = config(1, 0, "--storage-option=no-such-option=1");
        assertThatThrownBy(() -> BrainServer.start(config, stop))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no-such-option");
    }

    private BrainConfig config(int pd, int metrics, String... more) {
        List<String> flags =
                new java.util.ArrayList<>(
                        List.of(
                                "--data-dir=" + directory,
                                "--storage=tikv",
                                "--initial-advertise-peer-urls=http://127.0.0.1:1",
                                "--pd-endpoints=127.0.0.1:" + pd,
                                "--listen-client-urls=http://127.0.0.1:0",
                                "--advertise-client-urls=http://127.0.0.1:2379",
                                "--listen-peer-urls=http://127.0.0.1:0",
                                "--listen-metrics-urls=http://127.0.0.1:" + metrics));
        flags.addAll(List.of(more));
        return CommandLineReader.read(flags, Map.of()).config();
    }

    private static void awaitStatus(int port, String path, int status) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        HttpClient client = HttpClient.newHttpClient();
        for (int tries = 0; ; tries++) {
            try {
                int answer =
                        client.send(
                                        HttpRequest.newBuilder(uri).build(),
                                        HttpResponse.BodyHandlers.ofString())
                                .statusCode();
                assertThat(answer).isEqualTo(status);
                return;
            } catch (java.net.ConnectException notYet) {
                assertThat(tries).isLessThan(600);
                Thread.sleep(100);
            }
        }
    }

    private static String awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        return "";
    }
}
