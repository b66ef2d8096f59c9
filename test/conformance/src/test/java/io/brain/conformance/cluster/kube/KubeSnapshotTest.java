package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.ProcessMemory;
import io.brain.conformance.cluster.transfer.PacedPuts;
import io.brain.conformance.cluster.transfer.Programs;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * etcdctl snapshot save every ten seconds, or one after another if they take longer, under 1 000
 * writes a second and a kube-apiserver with a writer of its own: every file restores, and no put
 * fails. Latencies are printed, for the server under test and for etcd, with and without a snapshot
 * running.
 */
@Tag("peer")
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class KubeSnapshotTest {
    private static final int SECONDS = Form.size(20, 300);
    private static final int EVERY_SECONDS = Form.size(5, 10);
    private static final int KEYS = Form.size(5_000, 20_000);
    private static final int VALUE_BYTES = 1_000;
    private static final int PUTS_PER_SECOND = 1_000;
    private static final int WARM_UP_SECONDS = Form.size(2, 20);
    private static final int OBJECT_EVERY_MILLIS = 100;

    /** Linux: a file system in memory. */
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    /**
     * For the client's files. etcdctl syncs them, and on the server's disk puts would wait for
     * that; a backup is usually taken from another machine.
     */
    @TempDir(factory = ClientDisk.class)
    private Path clientDisk;

    private static final class ClientDisk implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
                throws IOException {
            return Files.isDirectory(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "brain-snapshots")
                    : Files.createTempDirectory("brain-snapshots");
        }
    }

    @Test
    void everySnapshotRestores() throws Exception {
        List.of(Peer.ETCD, Peer.ETCDCTL, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
        measure("the server under test", ServerCommand.underTest());
        measure("etcd", ServerCommand.etcd());
    }

    private static void create(KubeClient kube, String path, int number) {
        try {
            kube.create(path, KubeObjects.configMap("o" + number, "seq")).orFail();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Saved(Path file, long beganNanos, long endedNanos) {}

    private void measure(String name, ServerCommand command) throws Exception {
        Path own = Files.createDirectory(directory.resolve(name.replace(' ', '-')));
        ServerHome home = ServerHome.fresh(own.resolve("server"));
        try (ServerProcess server = ServerProcess.start(command, home);
                EtcdClient client = new EtcdClient(home.target());
                KubeApiServer kube =
                        KubeApiServer.start(own.resolve("kube"), home.clientUrl(), List.of())) {
            KubeClient http = new KubeClient(kube);
            http.create(KubeObjects.CORE + "/namespaces", KubeObjects.namespace("n")).orFail();
            String path = KubeFixture.core("n", "configmaps");
            PacedPuts puts = new PacedPuts(client, KEYS, VALUE_BYTES, PUTS_PER_SECOND);
            puts.fill();
            AtomicInteger writes = new AtomicInteger();
            ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
            ScheduledFuture<?> writing =
                    writer.scheduleAtFixedRate(
                            () -> create(http, path, writes.getAndIncrement()),
                            0,
                            OBJECT_EVERY_MILLIS,
                            TimeUnit.MILLISECONDS);
            puts.start();
            TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
            ProcessMemory before = ProcessMemory.of(server.pid());
            long start = System.nanoTime();
            Path files = Files.createDirectory(clientDisk.resolve(own.getFileName()));
            List<Saved> saved = saveEvery(home, files, start);
            puts.stop();
            ProcessMemory after = ProcessMemory.of(server.pid());
            assertThat(writing.isDone()).as("the kube-apiserver refused a write").isFalse();
            writer.shutdownNow();
            print(name, puts, start, saved, before, after);
            requireRestorable(saved, own);
        }
    }

    private static List<Saved> saveEvery(ServerHome home, Path files, long start) throws Exception {
        List<Saved> saved = new ArrayList<>();
        long end = start + TimeUnit.SECONDS.toNanos(SECONDS);
        long due = start;
        while (due < end) {
            KubeFixture.sleepUntil(due);
            Path file = files.resolve("snapshot-" + saved.size());
            long began = System.nanoTime();
            Programs.save(home, file);
            saved.add(new Saved(file, began, System.nanoTime()));
            due = Math.max(due + TimeUnit.SECONDS.toNanos(EVERY_SECONDS), System.nanoTime());
        }
        KubeFixture.sleepUntil(end);
        return saved;
    }

    private static void print(
            String name,
            PacedPuts puts,
            long start,
            List<Saved> saved,
            ProcessMemory before,
            ProcessMemory after)
            throws Exception {
        PacedPuts.Times with = puts.times(start, at -> saved.stream().anyMatch(s -> covers(s, at)));
        PacedPuts.Times without =
                puts.times(start, at -> saved.stream().noneMatch(s -> covers(s, at)));
        double seconds =
                saved.stream()
                                .mapToLong(s -> s.endedNanos() - s.beganNanos())
                                .average()
                                .orElseThrow()
                        / 1e9;
        System.out.printf(
                "summary: %s: %d snapshots of about %d MiB, %.1f s each;"
                        + " puts without a snapshot: %s; with one: %s; p99 ratio %.2f;"
                        + " resident %d MiB before, %d MiB at the end, peak %d MiB%n",
                name,
                saved.size(),
                Files.size(saved.get(saved.size() - 1).file()) >> 20,
                seconds,
                without,
                with,
                with.p99Millis() / without.p99Millis(),
                before.residentBytes() >> 20,
                after.residentBytes() >> 20,
                after.peakBytes() >> 20);
        assertThat(puts.failed()).as("failed puts").isZero();
    }

    private static boolean covers(Saved saved, long nanos) {
        return nanos - saved.beganNanos() >= 0 && saved.endedNanos() - nanos >= 0;
    }

    /** Restores each file; starts an etcd from the last one. */
    private static void requireRestorable(List<Saved> saved, Path own) throws Exception {
        for (Saved each : saved) {
            Programs.run(Peer.ETCDUTL, "snapshot", "status", each.file().toString());
            Path data = own.resolve("restored");
            Programs.run(
                    Peer.ETCDUTL,
                    "snapshot",
                    "restore",
                    each.file().toString(),
                    "--data-dir=" + data);
            Programs.delete(data);
        }
        Path last = saved.get(saved.size() - 1).file();
        ServerHome home = ServerHome.fresh(own.resolve("etcd"));
        try (ServerProcess etcd = Programs.restore(last, home);
                EtcdClient client = new EtcdClient(etcd.home().target())) {
            assertThat(client.all().getCount()).isGreaterThanOrEqualTo(KEYS);
        }
        for (Saved each : saved) {
            Files.delete(each.file()); // frees memory
        }
    }
}
