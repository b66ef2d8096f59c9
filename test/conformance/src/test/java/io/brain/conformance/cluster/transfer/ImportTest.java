package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.HashKVRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code brain import}: what a server then serves is what the etcd served. */
@Tag("peer")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ImportTest {
    private static final int KEYS = 400;
    private static final int VALUE_BYTES_MAX = 300;
    private static final int BIG_VALUE_BYTES_MAX = 20_000;
    private static final int KILLS = Form.size(5, 30);
    private static final long REGION_BYTES = 1 << 30;
    private static final Duration STOP_MAX = Duration.ofMinutes(1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    /** A file, and what the server had when it was saved. */
    private record Saved(Path file, ServerState state, long compacted) {}

    @ParameterizedTest
    @EnumSource(
            value = Peer.class,
            names = {"ETCD_3_4", "ETCD_3_5", "ETCD_3_6", "ETCD"})
    void aStoreOfEachVersionIsTheSame(Peer version) throws Exception {
        Saved saved = save(version, 1500, VALUE_BYTES_MAX);
        ServerHome home = ServerHome.fresh(directory.resolve("brain"));
        List<String> store = List.of("--data-dir=" + home.data());
        Programs.brainDone(importOf(saved, store));
        requireEqual(saved, home, store);
        assertThat(Programs.brain(importOf(saved, store)).text()).contains("not empty");
    }

    /** Its history has a change without key, which its hashes include. */
    @Test
    void anEtcdThatWasRestoredWithARaisedRevisionIsTheSame() throws Exception {
        ServerHome former = ServerHome.fresh(directory.resolve("former"));
        Path file = directory.resolve("former.db");
        try (ServerProcess server = ServerProcess.start(ServerCommand.etcd(), former);
                EtcdClient client = new EtcdClient(server.home().target())) {
            for (int i = 0; i < 20; i++) {
                client.put(Keys.of("c/" + i % 7), Keys.of("value " + i));
            }
            Programs.save(former, file);
        }
        ServerHome raised = ServerHome.fresh(directory.resolve("raised"));
        Saved saved;
        try (ServerProcess server =
                        Programs.restore(
                                file,
                                Peer.ETCD,
                                raised,
                                "--bump-revision=1000",
                                "--mark-compacted");
                EtcdClient client = new EtcdClient(server.home().target())) {
            new RandomLoad(client, System.nanoTime(), KEYS).run(300, VALUE_BYTES_MAX);
            saved = saved(client, raised);
        }
        ServerHome home = ServerHome.fresh(directory.resolve("brain"));
        List<String> store = List.of("--data-dir=" + home.data());
        Programs.brainDone(importOf(saved, store));
        requireEqual(saved, home, store);
    }

    @Test
    void aKilledImportContinues() throws Exception {
        Saved saved = save(Peer.ETCD, 2500, BIG_VALUE_BYTES_MAX);
        killAndContinue(
                saved,
                home ->
                        List.of(
                                "--data-dir=" + home.data(),
                                "--storage-option=batch-size-max=1MiB",
                                "--storage-option=memtable-size=1MiB"));
    }

    @Test
    void anImportIntoTikvContinuesToo() throws Exception {
        Peer.requireTikv();
        Saved saved = save(Peer.ETCD, 1500, BIG_VALUE_BYTES_MAX);
        try (TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES)) {
            killAndContinue(
                    saved,
                    home ->
                            List.of(
                                    "--storage=tikv",
                                    "--pd-endpoints=" + bed.pdEndpoints(),
                                    "--keyspace=" + home.data().getParent().getFileName()));
        }
    }

    /** Kills imports later and later, until one ends; more finely if none was killed inside. */
    private void killAndContinue(Saved saved, Function<ServerHome, List<String>> stores)
            throws Exception {
        double whole = timeOf(saved, stores).toMillis();
        int kills = 0;
        for (double step = 0.1; kills == 0 && step > 0.01; step /= 2) {
            ServerHome home = ServerHome.fresh(directory.resolve("killed-" + (int) (1 / step)));
            List<String> store = stores.apply(home);
            kills = killUntilOneEnds(saved, home, store, whole, step);
            requireEqual(saved, home, store);
        }
        System.out.println("summary: import continued after " + kills + " kills");
        assertThat(kills).as("kills in the middle of an import").isPositive();
    }

    private int killUntilOneEnds(
            Saved saved, ServerHome home, List<String> store, double whole, double step)
            throws Exception {
        int kills = 0;
        boolean complete = false;
        for (double part = 0.2;
                !complete;
                part += kills == 0 ? step : kills < KILLS ? step / 4 : 1) {
            Programs.killBrain((long) (whole * part), importOf(saved, store));
            Programs.Result check = Programs.brain(checkOf(store));
            boolean unfinished = check.text().contains("unfinished");
            kills += unfinished ? 1 : 0;
            if (unfinished && kills == 1) {
                requireRefused(home, store);
            }
            // Also if it was killed after its last commit.
            complete = check.text().contains("revision " + saved.state().revision());
        }
        return kills;
    }

    private void requireRefused(ServerHome home, List<String> store) throws Exception {
        Programs.Result check = Programs.brain(checkOf(store));
        assertThat(check.code()).as(check.text()).isEqualTo(2);
        assertThat(check.text())
                .contains("unfinished", "run the same brain import or brain restore again");
        try (ServerProcess server = ServerProcess.launch(brain(store), home)) {
            assertThat(server.awaitExit(STOP_MAX)).isEqualTo(1);
            assertThat(server.log()).contains("run the same brain import or brain restore again");
        }
    }

    /** Duration of an import into another store of the same kind. */
    private Duration timeOf(Saved saved, Function<ServerHome, List<String>> stores)
            throws Exception {
        List<String> store = stores.apply(ServerHome.fresh(directory.resolve("timed")));
        long began = System.nanoTime();
        Programs.brainDone(importOf(saved, store));
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private Saved save(Peer version, int revisions, int valueBytesMax) throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("etcd"));
        long seed = System.nanoTime();
        System.out.println(version + ", seed " + seed);
        try (ServerProcess server = ServerProcess.start(ServerCommand.of(version), home);
                EtcdClient client = new EtcdClient(server.home().target())) {
            new RandomLoad(client, seed, KEYS).run(revisions, valueBytesMax);
            return saved(client, home);
        }
    }

    /** Raises an alarm, and saves a snapshot. */
    private Saved saved(EtcdClient client, ServerHome home) throws Exception {
        var maintenance = MaintenanceGrpc.newBlockingStub(client.channel());
        AlarmRequest alarm =
                AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.ACTIVATE)
                        .setMemberID(client.memberId())
                        .setAlarm(AlarmType.NOSPACE)
                        .build();
        assertThat(maintenance.alarm(alarm).getAlarmsCount()).isOne();
        HashKVRequest newest = HashKVRequest.getDefaultInstance();
        long compacted = maintenance.hashKV(newest).getCompactRevision();
        ServerState state = ServerState.read(client, compacted);
        Path file = directory.resolve("snapshot.db");
        Programs.save(home, file);
        return new Saved(file, state, compacted);
    }

    private void requireEqual(Saved saved, ServerHome home, List<String> store) throws Exception {
        Programs.Result check = Programs.brain(checkOf(store));
        assertThat(check.code()).as(check.text()).isZero();
        try (ServerProcess server = ServerProcess.start(brain(store), home);
                EtcdClient client = new EtcdClient(server.home().target())) {
            ServerState actual = ServerState.read(client, saved.compacted());
            assertThat(actual.revision()).isEqualTo(saved.state().revision());
            assertThat(actual.hashes()).isEqualTo(saved.state().hashes());
            assertThat(actual.ranges()).isEqualTo(saved.state().ranges());
            assertThat(actual.leases()).isEqualTo(saved.state().leases());
            assertThat(actual.alarms()).isEqualTo(saved.state().alarms());
        }
    }

    /** The server on a store; the home names the data directory already. */
    private static ServerCommand brain(List<String> store) {
        return ServerCommand.underTest()
                .withFlags(store.stream().filter(f -> !f.startsWith("--data-dir")).toList());
    }

    private static String[] importOf(Saved saved, List<String> store) {
        return words(List.of("import", saved.file().toString()), store);
    }

    private static String[] checkOf(List<String> store) {
        return words(List.of("check"), store);
    }

    private static String[] words(List<String> command, List<String> store) {
        return Stream.concat(command.stream(), store.stream()).toArray(String[]::new);
    }
}
