package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Target;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A standby of an etcd with three members goes on when each of them, in turn, is killed. */
@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StandbyOfMembersTest {
    private static final int CHANGES = 50;
    private static final long PAUSE_MILLIS = 100;
    private static final Duration LEASE = Duration.ofSeconds(3); // of Brain's leader only

    /** A change is not repeated, so no election may disturb it but those after kills. */
    private static final List<String> PATIENT =
            List.of("--heartbeat-interval=300", "--election-timeout=3000");

    private static final Duration SERVES_MAX = Duration.ofMinutes(2);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void membersAreKilledInTurn() throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd is no standby");
        ServerHome home = ServerHome.fresh(directory.resolve("standby"));
        try (Cluster source = Cluster.start(Target.ETCD, directory, LEASE, PATIENT)) {
            change(source.nodes().get(0).address());
            String members =
                    source.nodes().stream()
                            .map(node -> "http://" + node.address())
                            .collect(Collectors.joining(","));
            ServerCommand command =
                    ServerCommand.underTest().withFlags(List.of("--standby-of=" + members));
            try (ServerProcess standby = ServerProcess.start(command, home)) {
                String target = standby.home().target();
                for (Node node : source.nodes()) {
                    node.program().kill();
                    awaitWrites(target);
                    change(target);
                    node.program().start();
                    assertThat(source.awaitServing(SERVES_MAX)).isTrue();
                }
                String text = Programs.brainDone("migrate", "--endpoints=" + target, "--cutover");
                System.out.println("summary: standby of three members: " + text);
                MovedCluster.requireEqual(source.nodes().get(0).address(), target);
            }
        }
    }

    /** While the source has no leader, or the connection to the killed member ends, calls fail. */
    private static void awaitWrites(String target) throws InterruptedException {
        try (EtcdClient client = new EtcdClient(target)) {
            awaitWrites(client);
        }
    }

    /** Puts a key until that succeeds. */
    static void awaitWrites(EtcdClient client) throws InterruptedException {
        long deadline = System.nanoTime() + SERVES_MAX.toNanos();
        while (true) {
            try {
                var unused = client.put(Keys.of("probe"), Keys.of("x"));
                return;
            } catch (StatusRuntimeException notYet) {
                if (System.nanoTime() > deadline) {
                    throw notYet;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static void change(String target) {
        try (EtcdClient client = new EtcdClient(target)) {
            MixedLoad load = new MixedLoad(client, CHANGES);
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
        }
    }
}
