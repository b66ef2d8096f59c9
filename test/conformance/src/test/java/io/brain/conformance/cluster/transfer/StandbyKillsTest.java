package io.brain.conformance.cluster.transfer;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A standby of each release of etcd, with {@code kill -9} of both and compactions between random
 * changes, which are made at either: after the cutover the histories are equal.
 */
@Tag("peer")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class StandbyKillsTest {
    private static final int KILLS = Form.size(4, 20);
    private static final int CHANGES = Form.size(100, 400);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private ServerCommand etcd;
    private ServerProcess source;
    private ServerProcess standby;

    @AfterEach
    void stop() {
        if (standby != null) {
            standby.close();
        }
        if (source != null) {
            source.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ETCD", "ETCD_3_4", "ETCD_3_5", "ETCD_3_6"})
    void theStandbyIsEqualAfterKills(Peer release) throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd is no standby");
        etcd = ServerCommand.of(release);
        ServerHome from = ServerHome.fresh(directory.resolve("source"));
        ServerHome to = ServerHome.fresh(directory.resolve("standby"));
        source = ServerProcess.start(etcd, from);
        change(from);
        ServerCommand command =
                ServerCommand.underTest().withFlags(List.of("--standby-of=" + from.clientUrl()));
        standby = ServerProcess.start(command, to);
        for (int kills = 0; kills < KILLS; kills++) {
            change(random.nextBoolean() ? from : to);
            compact(from, to);
            if (random.nextBoolean()) {
                source.kill();
                source = ServerProcess.start(etcd, from);
                awaitReconnected(to);
            } else {
                standby.kill();
                standby = ServerProcess.start(command, to);
            }
        }
        change(to);
        String text = Programs.brainDone("migrate", "--endpoints=" + to.clientUrl(), "--cutover");
        System.out.printf("summary: standby of %s, seed %d: %s%n", release, seed, text);
        MovedCluster.requireEqual(from.target(), to.target());
    }

    /** A call fails while the standby has no connection to the source. */
    private static void awaitReconnected(ServerHome standby) throws InterruptedException {
        try (EtcdClient client = new EtcdClient(standby.target())) {
            StandbyOfMembersTest.awaitWrites(client);
        }
    }

    /** The kill comes while changes are still applied. */
    private void change(ServerHome home) {
        try (EtcdClient client = new EtcdClient(home.target())) {
            MixedLoad load = new MixedLoad(client, random.nextInt());
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            load.putLarge();
        }
    }

    /** Compacts the source where the standby is. */
    private static void compact(ServerHome from, ServerHome to) {
        try (EtcdClient first = new EtcdClient(from.target());
                EtcdClient second = new EtcdClient(to.target())) {
            // etcd loses keys that were deleted and put again in a revision that it compacts.
            first.compact(second.put(Keys.of("compacted"), Keys.of("x")).getHeader().getRevision());
        }
    }
}
