package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.Member;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MoveLeaderRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A standby on TiKV: killed while it copies and while it follows, replaced by another server of the
 * cluster that has waited, which hands over to the first again, and cut over. Then both serve.
 */
@Tag("peer")
@Isolated
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class StandbyOnTikvTest {
    private static final int CHANGES = 100;
    private static final int LARGE = 20;
    private static final int COPY_MILLIS = 500;
    private static final int KEYSPACES_MAX = 6;
    private static final String READY = "ready to serve";
    private static final long REGION_BYTES = 1 << 30;
    private static final Duration WAIT_MAX = Duration.ofMinutes(2);
    private static final String WAITS = "another server of the cluster follows the source";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void anotherServerTakesOverAndCutsOver() throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd is no standby");
        Peer.requireTikv();
        ServerHome from = ServerHome.fresh(directory.resolve("source"));
        ServerHome one = ServerHome.fresh(directory.resolve("one"));
        ServerHome two = ServerHome.fresh(directory.resolve("two"));
        try (TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES);
                ServerProcess source = ServerProcess.start(ServerCommand.etcd(), from)) {
            change(source.home());
            ServerCommand plain =
                    ServerCommand.underTest()
                            .withFlags(
                                    List.of(
                                            "--storage=tikv",
                                            "--pd-endpoints=" + bed.pdEndpoints()));
            List<String> flags = List.of("--standby-of=" + from.clientUrl(), "--strict-reads=true");
            plain = killedWhileItCopies(plain, flags, one);
            ServerCommand command = plain.withFlags(flags);
            ServerProcess first = ServerProcess.start(command, one);
            change(one);
            first.kill();
            change(from);
            first = ServerProcess.start(command, one);
            requireRefused(plain, two);
            ServerProcess second = ServerProcess.launch(command, two);
            await(second, WAITS);
            first.kill();
            second.awaitReady();
            change(two);
            first = ServerProcess.launch(command, one);
            await(first, WAITS);
            try {
                moveLeader(two);
                first.awaitReady();
                change(one);
                requireLost(two);
                String text =
                        Programs.brainDone(
                                "migrate", "--endpoints=" + one.clientUrl(), "--cutover");
                System.out.println("summary: standby on TiKV: " + text);
                MovedCluster.requireEqual(from.target(), one.target());
                awaitWrites(two);
                requireOneCluster(one, two);
                first.kill();
                awaitWrites(two);
                first = ServerProcess.start(plain, one);
                requireOneCluster(two, one);
            } finally {
                first.close();
                second.close();
            }
        }
    }

    /** Kills it while it copies into a keyspace; the command without flags for that keyspace. */
    private static ServerCommand killedWhileItCopies(
            ServerCommand plain, List<String> flags, ServerHome home) throws Exception {
        for (int i = 0; i < KEYSPACES_MAX; i++) {
            ServerCommand inKeyspace = plain.withFlags(List.of("--keyspace=moved" + i));
            int millis = COPY_MILLIS * (KEYSPACES_MAX - 1 - i) / (KEYSPACES_MAX - 1);
            if (isKilledWhileItCopies(inKeyspace.withFlags(flags), home, millis)) {
                return inKeyspace;
            }
            Programs.delete(home.data());
        }
        throw new AssertionError("the standby is ready too soon");
    }

    /** Kills it some time after the database of the source has arrived; false if that is late. */
    private static boolean isKilledWhileItCopies(ServerCommand command, ServerHome home, int millis)
            throws Exception {
        ServerProcess copying = ServerProcess.launch(command, home);
        Path database = home.data().resolve("STANDBY.db");
        while (!Files.exists(database) && !copying.log().contains(READY)) {
            assertThat(copying.isAlive()).as(copying.log()).isTrue();
            Thread.sleep(5);
        }
        Thread.sleep(millis);
        copying.kill();
        return !copying.log().contains(READY);
    }

    private static void requireRefused(ServerCommand plain, ServerHome home) throws Exception {
        try (ServerProcess refused = ServerProcess.launch(plain, home)) {
            assertThat(refused.awaitExit(WAIT_MAX)).isEqualTo(1);
            assertThat(refused.log()).contains("start the server with --standby-of");
        }
    }

    private static void await(ServerProcess server, String line) throws Exception {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        while (!server.log().contains(line)) {
            assertThat(server.isAlive()).as(server.log()).isTrue();
            assertThat(System.nanoTime()).as(server.log()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    /** To the other member. */
    private static void moveLeader(ServerHome leader) {
        try (EtcdClient client = new EtcdClient(leader.target())) {
            var members =
                    ClusterGrpc.newBlockingStub(client.channel())
                            .memberList(MemberListRequest.getDefaultInstance());
            long self = members.getHeader().getMemberId();
            assertThat(members.getMembersCount()).isEqualTo(2);
            for (Member member : members.getMembersList()) {
                if (member.getID() != self) {
                    var unused =
                            MaintenanceGrpc.newBlockingStub(client.channel())
                                    .moveLeader(
                                            MoveLeaderRequest.newBuilder()
                                                    .setTargetID(member.getID())
                                                    .build());
                }
            }
        }
    }

    /** A server that has lost the leadership does not know whether the cluster has moved. */
    private static void requireLost(ServerHome home) {
        try (EtcdClient client = new EtcdClient(home.target())) {
            assertThatThrownBy(() -> client.put(Keys.of("lost"), Keys.of("x")))
                    .hasMessageContaining("no leader");
            assertThatThrownBy(client::revision).hasMessageContaining("no leader");
        }
    }

    /** A write at one is read at the other. */
    private static void requireOneCluster(ServerHome writer, ServerHome reader) {
        try (EtcdClient first = new EtcdClient(writer.target());
                EtcdClient second = new EtcdClient(reader.target())) {
            long revision = first.put(Keys.of("shared"), Keys.of("x")).getHeader().getRevision();
            assertThat(second.revision()).isEqualTo(revision);
            assertThat(second.put(Keys.of("shared"), Keys.of("y")).getHeader().getRevision())
                    .isEqualTo(revision + 1);
            assertThat(first.revision()).isEqualTo(revision + 1);
        }
    }

    private static void awaitWrites(ServerHome home) throws Exception {
        try (EtcdClient client = new EtcdClient(home.target())) {
            StandbyOfMembersTest.awaitWrites(client);
        }
    }

    private static void change(ServerHome home) {
        try (EtcdClient client = new EtcdClient(home.target())) {
            MixedLoad load = new MixedLoad(client, CHANGES);
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            for (int i = 0; i < LARGE; i++) {
                load.putLarge();
            }
        }
    }
}
