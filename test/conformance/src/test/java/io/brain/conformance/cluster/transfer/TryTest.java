package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** {@code brain try} beside a real etcd: an honest run finds nothing, planted differences are. */
@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TryTest {
    private static final int CHANGES = 300;

    /** Few enough for the time of a run on a busy machine. */
    private static final int PROXY_CHANGES = 100;

    private static final long PAUSE_MILLIS = 50;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private ServerProcess etcd;

    @BeforeEach
    void start() throws Exception {
        etcd = ServerProcess.start(ServerCommand.etcd(), ServerHome.fresh(directory));
        change(etcd.home().target(), CHANGES);
    }

    @AfterEach
    void stop() {
        etcd.close();
    }

    @Test
    void anHonestRunFindsNothing() throws Exception {
        int port = FreePorts.next();
        CompletableFuture<Programs.Result> trial =
                CompletableFuture.supplyAsync(
                        () ->
                                brain(
                                        "try",
                                        "--from=" + etcd.home().clientUrl(),
                                        "--time=30s",
                                        "--rate=100",
                                        "--listen=127.0.0.1:" + port));
        awaitOpen(port, trial);
        String proxy = "127.0.0.1:" + port;
        change(proxy, PROXY_CHANGES);
        etcdctl(proxy, "get", "", "--prefix", "-w=json");
        etcdctl(proxy, "endpoint", "status");
        etcdctl(proxy, "lease", "grant", "60");
        Programs.Result result = trial.get(2, TimeUnit.MINUTES);
        System.out.println("summary: " + result.text());
        assertThat(result.code()).as(result.text()).isZero();
        assertThat(result.text())
                .contains(" answers compared, 0 differ")
                .contains("etcdserverpb.KV/Put=", "etcdserverpb.KV/Range=", "LeaseGrant=")
                .contains("not served by Brain: none", "equal hashes");
    }

    @Test
    void everyPlantedDifferenceIsNamed() throws Exception {
        int port = FreePorts.next();
        Path reads = directory.resolve("reads");
        Files.write(reads, reads());
        try (EtcdClient client = new EtcdClient(etcd.home().target())) {
            for (String key : TamperedSource.CHANGES.keySet()) {
                client.put(Keys.of(key), Keys.of("x"));
                client.put(Keys.of(key + "1"), Keys.of("x"));
            }
        }
        Programs.Result result;
        try (TamperedSource tampered = new TamperedSource(etcd.home().target(), port)) {
            assertThat(tampered).isNotNull();
            result =
                    brain(
                            "try",
                            "--from=http://127.0.0.1:" + port,
                            "--time=10s",
                            "--rate=20",
                            "--reads=" + reads);
        }
        System.out.println("summary: " + result.text());
        assertThat(result.code()).as(result.text()).isEqualTo(1);
        assertThat(result.text())
                .contains("\"t/value\": value of 5 bytes there, of 1 here")
                .contains("\"t/create\": create_revision")
                .contains("\"t/mod\": mod_revision")
                .contains("\"t/version\": version 2 there, 1 here")
                .contains("\"t/lease\": lease 77 there, 0 here")
                .contains("count 3 there, 2 here")
                .contains("more true there, false here")
                .contains("order: \"t/order1\" there, \"t/order\" here")
                .contains("key \"t/missing\" only here")
                .contains("key \"t/extra2\" only there");
    }

    @Test
    void aClusterThatDoesNotAnswerIsNotCompared() throws Exception {
        Programs.Result result = brain("try", "--from=http://127.0.0.1:" + FreePorts.next());
        assertThat(result.code()).as(result.text()).isEqualTo(2);
    }

    /** One range of two keys for each planted difference. */
    private static List<String> reads() {
        List<String> lines = new ArrayList<>();
        for (String key : TamperedSource.CHANGES.keySet()) {
            lines.add(
                    "{\"key\": \"%s\", \"range_end\": \"%s\"}"
                            .formatted(base64(key), base64(key + "2")));
        }
        return lines;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(ByteString.copyFromUtf8(text).toByteArray());
    }

    private static void change(String target, int changes) {
        try (EtcdClient client = new EtcdClient(target)) {
            MixedLoad load = new MixedLoad(client, CHANGES);
            for (int i = 0; i < changes; i++) {
                load.change();
                if (i % 10 == 0) {
                    assertThat(client.all().getKvsCount()).isNotNegative();
                }
            }
        }
    }

    private static void etcdctl(String target, String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("--endpoints=" + target));
        all.addAll(List.of(words));
        var unused = Programs.run(Peer.ETCDCTL, all.toArray(new String[0]));
    }

    private static Programs.Result brain(String... words) {
        try {
            return Programs.brain(words);
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void awaitOpen(int port, CompletableFuture<?> trial) throws Exception {
        while (!trial.isDone()) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException notYet) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }
}
