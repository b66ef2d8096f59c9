package io.brain.conformance.cluster.transfer;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code brain migrate --back} from an etcd and from Brain, with {@code kill -9} of the source, the
 * target and the command between random changes: after the cutover the histories are equal.
 */
@Tag("peer")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class WayBackTest {
    private static final int KILLS = Form.size(3, 20);
    private static final int CHANGES = Form.size(60, 200);
    private static final int DELETED_KEYS = Form.size(1_000, 5_000);

    /** etcd's shortest. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private ServerCommand sourceCommand;
    private ServerProcess source;
    private ServerProcess target;
    private Process migrate;

    /** The compacted revision. */
    private long compacted;

    @AfterEach
    void stop() {
        killMigrate();
        if (source != null) {
            source.close();
        }
        if (target != null) {
            target.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theTargetIsEqualAfterKills(boolean fromEtcd) throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no such command");
        List.of(Peer.ETCD, Peer.ETCDCTL, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
        sourceCommand = fromEtcd ? ServerCommand.etcd() : ServerCommand.underTest();
        ServerHome from = ServerHome.fresh(directory.resolve("source"));
        ServerHome to = ServerHome.fresh(directory.resolve("target"));
        source = ServerProcess.start(sourceCommand, from);
        change(from);
        // The target would end them before the command renews them.
        awaitShortLeases(from);
        Path seedFile = directory.resolve("seed.db");
        Programs.save(from, seedFile);
        change(from);
        String[] command = {
            "migrate", "--back", "--from=" + from.clientUrl(), "--to=" + to.clientUrl()
        };
        startMigrate(command);
        target = Programs.restore(seedFile, to);
        for (int kills = 0; kills < KILLS; kills++) {
            change(from);
            compact(from, to);
            kill(random.nextInt(3), command);
        }
        change(from);
        killMigrate();
        String text =
                Programs.brainDone(command[0], command[1], command[2], command[3], "--cutover");
        System.out.println("summary: seed " + seed + ", from etcd " + fromEtcd + ": " + text);
        MovedCluster.requireEqual(from.target(), to.target());
    }

    private static void awaitShortLeases(ServerHome home) throws InterruptedException {
        try (EtcdClient client = new EtcdClient(home.target())) {
            while (client.all().getKvsList().stream()
                    .anyMatch(kv -> kv.getKey().startsWith(Keys.of("short")))) {
                Thread.sleep(100);
            }
        }
    }

    /** Waits until the command goes on, and compacts what the target has. */
    private void compact(ServerHome from, ServerHome to) throws IOException, InterruptedException {
        try (EtcdClient first = new EtcdClient(from.target());
                EtcdClient second = new EtcdClient(to.target())) {
            long reached = second.revision();
            while (reached <= compacted) {
                if (!migrate.isAlive()) {
                    throw new AssertionError("the command ended: " + Files.readString(output()));
                }
                Thread.sleep(50);
                reached = second.revision();
            }
            compacted = reached;
            first.compact(reached);
        }
    }

    private void kill(int victim, String... command) throws Exception {
        if (victim == 0) {
            source.kill();
            source = ServerProcess.start(sourceCommand, source.home());
        } else if (victim == 1) {
            target.kill();
            target = ServerProcess.start(ServerCommand.etcd(), target.home());
        } else {
            killMigrate();
            startMigrate(command);
        }
    }

    private void startMigrate(String... command) throws IOException {
        migrate = Programs.startBrain(ProcessBuilder.Redirect.appendTo(output().toFile()), command);
    }

    private Path output() {
        return directory.resolve("migrate.log");
    }

    private void killMigrate() {
        if (migrate != null) {
            migrate.descendants().forEach(ProcessHandle::destroyForcibly);
            migrate.destroyForcibly().onExit().join();
        }
    }

    /** Changes of every kind: also a lease that expires, and many keys deleted at once. */
    private void change(ServerHome home) {
        try (EtcdClient client = new EtcdClient(home.target())) {
            MixedLoad load = new MixedLoad(client, random.nextInt());
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            load.putLarge();
            PutRequest shortLived =
                    PutRequest.newBuilder()
                            .setKey(Keys.of("short" + random.nextInt()))
                            .setLease(client.grant(SHORT_LEASE))
                            .build();
            var unusedPut = client.kv().put(shortLived);
            for (int i = 0; i < DELETED_KEYS; i += 100) {
                var unused = client.txn(puts("many/", i));
            }
            var unusedDelete = client.delete(Keys.of("many/"), Keys.of("many0"));
        }
    }

    private static TxnRequest puts(String prefix, int from) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        for (int i = from; i < from + 100; i++) {
            ByteString key = Keys.of(prefix + i);
            txn.addSuccess(
                    RequestOp.newBuilder()
                            .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(key)));
        }
        return txn.build();
    }
}
