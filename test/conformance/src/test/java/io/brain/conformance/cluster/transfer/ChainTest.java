package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One history goes from an etcd to Brain on RocksDB, from there to Brain on TiKV, and from there to
 * a new etcd. At each stop the hashes of the same revisions are equal.
 */
@Tag("peer")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class ChainTest {
    private static final int OLDER_REVISIONS = Form.size(10, 100);
    private static final long REGION_BYTES = 1L << 40;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final List<String> figures = new ArrayList<>();
    private List<Long> revisions;
    private HashSample expected;

    @ParameterizedTest
    @EnumSource(
            value = Peer.class,
            names = {"ETCD_3_4", "ETCD_3_5", "ETCD_3_6", "ETCD"})
    void theHistoryIsTheSameAtEachStop(Peer version) throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no import");
        List.of(Peer.ETCD, Peer.ETCDCTL, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
        Peer.requireTikv();
        Path ofEtcd = directory.resolve("etcd.db");
        Path ofRocks = directory.resolve("rocksdb.db");
        Path ofTikv = directory.resolve("tikv.db");
        fill(version, ofEtcd);
        ServerHome rocks = home("rocksdb");
        String data = "--data-dir=" + rocks.data();
        timed("import", () -> Programs.brainDone("import", ofEtcd.toString(), data));
        String verified =
                timed(
                        "verify",
                        () ->
                                Programs.brainDone(
                                        "verify", ofEtcd.toString(), rocks.data().toString()));
        assertThat(verified).contains("histories equal");
        requireEqual("hashes of RocksDB", ServerCommand.underTest(), rocks, null);
        timed("export", () -> Programs.brainDone("export", ofRocks.toString(), data));
        try (TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES)) {
            List<String> store = List.of("--storage=tikv", "--pd-endpoints=" + bed.pdEndpoints());
            timed(
                    "import to TiKV",
                    () ->
                            Programs.brainDone(
                                    "import", ofRocks.toString(), store.get(0), store.get(1)));
            ServerCommand server = ServerCommand.underTest().withFlags(store);
            requireEqual("hashes of TiKV", server, home("tikv"), ofTikv);
        }
        ServerHome restored = home("restored");
        ServerProcess etcd = timed("etcdutl restore", () -> Programs.restore(ofTikv, restored));
        try (etcd) {
            requireEqual("hashes of the restored etcd", restored);
        }
        System.out.println("summary: chain from " + version + ": " + String.join(", ", figures));
    }

    private void fill(Peer version, Path file) throws Exception {
        ServerCommand command = ServerCommand.of(version).withFlags(List.of("--unsafe-no-fsync"));
        ServerHome home = home("etcd");
        try (ServerProcess etcd = ServerProcess.start(command, home);
                EtcdClient client = new EtcdClient(etcd.home().target())) {
            long seed = System.nanoTime();
            long compacted = timed("load", () -> new ChainLoad(client, seed).run());
            revisions = HashSample.revisions(client, compacted, OLDER_REVISIONS);
            expected = timed("hashes of etcd", () -> HashSample.read(client, revisions));
            Programs.save(home, file);
            figures.add(0, "seed " + seed);
            figures.add("revision " + client.revision());
            figures.add("compacted " + compacted);
            figures.add("keys " + client.all().getCount());
            figures.add("leases " + expected.leases().size());
            figures.add("revisions hashed at each stop " + expected.hashes().size());
            figures.add("snapshot " + (Files.size(file) >> 20) + " MiB");
        }
    }

    /**
     * Compares a server with the first etcd.
     *
     * @param snapshot saves one into this file; null: none
     */
    private void requireEqual(String what, ServerCommand command, ServerHome home, Path snapshot)
            throws Exception {
        try (ServerProcess server = ServerProcess.start(command, home)) {
            requireEqual(what, server.home());
            if (snapshot != null) {
                timed(
                        "snapshot save",
                        () -> {
                            Programs.save(home, snapshot);
                            return snapshot;
                        });
            }
        }
    }

    private void requireEqual(String what, ServerHome home) throws Exception {
        try (EtcdClient client = new EtcdClient(home.target())) {
            HashSample actual = timed(what, () -> HashSample.read(client, revisions));
            assertThat(client.revision()).isEqualTo(revisions.get(revisions.size() - 1));
            assertThat(actual).isEqualTo(expected);
        }
    }

    private <T> T timed(String what, Callable<T> step) throws Exception {
        long began = System.nanoTime();
        T result = step.call();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        figures.add("%s %.1f s".formatted(what, millis / 1000.0));
        System.out.println(figures.get(figures.size() - 1));
        return result;
    }

    private ServerHome home(String name) throws Exception {
        return ServerHome.fresh(directory.resolve(name));
    }
}
