package io.brain.conformance.members;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Health while the storage stands still: not ready soon, alive all the while, ready after it. */
@Tag("peer")
@Isolated
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StalledStorageTest {
    /** The middle one counts: the machine has more to do than to look at the clock. */
    private static final int ROUNDS = 3;

    /** Usual are two seconds; whoever waits for a request to time out needs seven. */
    private static final Duration KNOWN_MAX = Duration.ofMillis(6_500);

    private static final Duration BACK_MAX = Duration.ofSeconds(60);
    private static final int POLL_MILLIS = 50;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void everyNodeTellsOfAStoreThatIsStopped() throws Exception {
        Peer.requireTikv();
        try (Cluster cluster = Cluster.start(Target.BRAIN, directory)) {
            List<URI> nodes =
                    cluster.nodes().stream()
                            .map(node -> URI.create("http://" + node.address()))
                            .toList();
            List<Program> stores = cluster.bed().orElseThrow().stores();
            List<Duration> known = new ArrayList<>();
            List<Duration> back = new ArrayList<>();
            awaitReady(nodes, 200, System::nanoTime);
            for (int round = 0; round < ROUNDS; round++) {
                for (Program store : stores) {
                    store.pause();
                }
                long stopped = System.nanoTime();
                try {
                    known.add(awaitReady(nodes, 503, () -> stopped));
                    assertAlive(nodes);
                } finally {
                    for (Program store : stores) {
                        store.resume();
                    }
                }
                long resumed = System.nanoTime();
                back.add(awaitReady(nodes, 200, () -> resumed));
            }
            report("TiKV's store stopped", known, back);
            assertThat(cluster.nodes()).allMatch(node -> node.program().life() == 1);
        }
    }

    @Test
    void aServerTellsOfADiskThatHangs() throws Exception {
        String strace = Peer.STRACE.require().toString();
        try (Server server = Server.start(ServerCommand.compared(), List.of())) {
            List<URI> nodes = List.of(server.http());
            List<Duration> known = new ArrayList<>();
            List<Duration> back = new ArrayList<>();
            AtomicLong lastPut = new AtomicLong();
            Thread writer = new Thread(() -> putOnAndOn(server.channel(), lastPut), "writer");
            writer.start();
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    awaitReady(nodes, 200, System::nanoTime);
                    awaitPut(lastPut);
                    Process hang = hang(strace, server.pid());
                    try {
                        known.add(awaitReady(nodes, 503, lastPut::get));
                        assertAlive(nodes);
                    } finally {
                        hang.destroy(); // strace lets go of it
                        assertThat(hang.waitFor(20, TimeUnit.SECONDS)).isTrue();
                    }
                    long healed = System.nanoTime();
                    back.add(awaitReady(nodes, 200, () -> healed));
                }
            } finally {
                writer.interrupt();
                writer.join();
            }
            report("a disk's syncs hung", known, back);
        }
    }

    @Test
    void anIdleServerTellsOfADiskThatHangs() throws Exception {
        String strace = Peer.STRACE.require().toString();
        try (Server server = Server.start(ServerCommand.compared(), List.of())) {
            List<URI> nodes = List.of(server.http());
            List<Duration> known = new ArrayList<>();
            List<Duration> back = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                awaitReady(nodes, 200, System::nanoTime);
                Process hang = hang(strace, server.pid());
                try {
                    awaitTraced(server.pid());
                    long stopped = System.nanoTime();
                    known.add(awaitReady(nodes, 503, () -> stopped));
                    assertAlive(nodes);
                } finally {
                    hang.destroy();
                    assertThat(hang.waitFor(20, TimeUnit.SECONDS)).isTrue();
                }
                long healed = System.nanoTime();
                back.add(awaitReady(nodes, 200, () -> healed));
            }
            report("an idle disk's syncs hung", known, back);
        }
    }

    /** Returns when strace holds all threads of a process: its syncs hang from then on. */
    private static void awaitTraced(long pid) throws Exception {
        long deadline = System.nanoTime() + BACK_MAX.toNanos();
        while (!allTraced(Path.of("/proc", Long.toString(pid), "task"))) {
            assertThat(System.nanoTime()).as("strace has the server").isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    private static boolean allTraced(Path tasks) throws IOException {
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(
                    thread -> {
                        try {
                            String status = Files.readString(thread.resolve("status"));
                            return !status.contains("TracerPid:\t0\n");
                        } catch (IOException gone) {
                            return true;
                        }
                    });
        }
    }

    private Process hang(String strace, long pid) throws IOException {
        return new ProcessBuilder(
                        strace,
                        "-f",
                        "-q",
                        "-e",
                        "trace=fsync,fdatasync",
                        "-e",
                        "inject=fsync,fdatasync:delay_enter=60000000",
                        "-o",
                        directory.resolve("strace").toString(),
                        "-p",
                        Long.toString(pid))
                .inheritIO()
                .start();
    }

    /** Returns when one more put is answered: there is a last one then. */
    private static void awaitPut(AtomicLong lastPut) throws InterruptedException {
        long before = lastPut.get();
        long deadline = System.nanoTime() + BACK_MAX.toNanos();
        while (lastPut.get() == before) {
            assertThat(System.nanoTime()).as("puts are answered").isLessThan(deadline);
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void putOnAndOn(ManagedChannel channel, AtomicLong lastAnswered) {
        PutRequest put = PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("k")).build();
        while (!Thread.currentThread().isInterrupted()) {
            try {
                var unused = KVGrpc.newBlockingStub(channel).put(put);
                lastAnswered.set(System.nanoTime());
                Thread.sleep(10);
            } catch (InterruptedException ended) {
                return;
            } catch (RuntimeException late) {
                // As etcd's: a request waits for so long and no longer.
            }
        }
    }

    /** Waits until all answer /readyz with {@code status}; how long that was since a moment. */
    private Duration awaitReady(List<URI> nodes, int status, LongSupplier since) throws Exception {
        ExecutorService askers = Executors.newFixedThreadPool(nodes.size());
        try {
            List<Future<Long>> ends = new ArrayList<>();
            for (URI node : nodes) {
                ends.add(askers.submit(() -> awaitReady(node, status)));
            }
            long last = Long.MIN_VALUE;
            for (Future<Long> end : ends) {
                last = Math.max(last, end.get());
            }
            return Duration.ofNanos(last - since.getAsLong());
        } finally {
            askers.shutdownNow();
        }
    }

    private long awaitReady(URI node, int status) throws Exception {
        long deadline = System.nanoTime() + BACK_MAX.toNanos();
        while (status(node, "/readyz") != status) {
            assertThat(System.nanoTime()).as("%s is %d", node, status).isLessThan(deadline);
            Thread.sleep(POLL_MILLIS);
        }
        return System.nanoTime();
    }

    private void assertAlive(List<URI> nodes) throws Exception {
        for (URI node : nodes) {
            assertThat(status(node, "/livez")).as(node.toString()).isEqualTo(200);
        }
    }

    private int status(URI node, String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(node.resolve(path)).timeout(Duration.ofSeconds(20)).build();
        return http.send(request, BodyHandlers.ofString()).statusCode();
    }

    private static void report(String what, List<Duration> known, List<Duration> back) {
        System.out.println(
                "summary: " + what + ": not ready after " + known + ", ready after " + back);
        assertThat(known.stream().sorted().toList().get(ROUNDS / 2)).isLessThan(KNOWN_MAX);
    }
}
