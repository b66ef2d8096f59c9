package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.RangeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** brain export, and a real etcd that is restored from the file. */
@Tag("peer")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ExportTest {

    private static final int CHANGES = 300;
    private static final int LARGE_VALUES = 150;
    private static final int LARGE_BYTES = 1 << 20;
    private static final ByteString PREFIX = Keys.of("/registry/kind1/");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @BeforeEach
    void requirePeers() {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has no export");
        List.of(Peer.ETCD, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
    }

    @Test
    void aPartOfAStoppedServerIsRestored() throws Exception {
        exportPart(ServerCommand.underTest(), true);
    }

    @Test
    void aPartOfARunningEtcdIsRestored() throws Exception {
        exportPart(ServerCommand.etcd(), false);
    }

    /** Keys of one prefix at an older revision. */
    private void exportPart(ServerCommand command, boolean stopped) throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("server"));
        Path file = directory.resolve("part.db");
        try (ServerProcess server = ServerProcess.start(command, home);
                EtcdClient client = new EtcdClient(home.target())) {
            MixedLoad load = new MixedLoad(client, 5);
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            long revision = client.revision();
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            String expected = keys(client, revision);
            if (stopped) {
                server.kill();
            }
            Programs.Result result =
                    Programs.brain(
                            "export",
                            file.toString(),
                            stopped ? "--data-dir=" + home.data() : "--endpoints=" + home.target(),
                            "--prefix=" + PREFIX.toStringUtf8(),
                            "--rev=" + revision);
            assertThat(result.text()).contains("revision " + revision + ", ").hasLineCount(1);
            ServerHome other = ServerHome.fresh(directory.resolve("restored"));
            try (ServerProcess etcd = Programs.restore(file, other);
                    EtcdClient restored = new EtcdClient(etcd.home().target())) {
                assertThat(restored.revision()).isEqualTo(revision);
                assertThat(keys(restored, revision)).isEqualTo(expected);
                assertThat(restored.all().getCount())
                        .isEqualTo(expected.isEmpty() ? 0 : expected.split("\n", 0).length);
            }
        }
    }

    @Test
    void anOlderEtcdTakesAStoppedServersFile() throws Exception {
        exportToOlder(true);
    }

    @Test
    void anOlderEtcdTakesARunningServersFile() throws Exception {
        exportToOlder(false);
    }

    private void exportToOlder(boolean stopped) throws Exception {
        Peer.ETCD_3_6.require();
        ServerHome home = ServerHome.fresh(directory.resolve("server"));
        Path file = directory.resolve("older.db");
        try (ServerProcess server = ServerProcess.start(ServerCommand.underTest(), home);
                EtcdClient client = new EtcdClient(home.target())) {
            MixedLoad load = new MixedLoad(client, 7);
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            long revision = client.revision();
            String expected = keys(client, revision);
            if (stopped) {
                server.kill();
            }
            String source = stopped ? "--data-dir=" + home.data() : "--endpoints=" + home.target();
            Programs.Result result =
                    Programs.brain("export", file.toString(), source, "--etcd-version=3.6");
            assertThat(result.code()).as(result.text()).isZero();
            ServerHome other = ServerHome.fresh(directory.resolve("restored"));
            try (ServerProcess etcd = Programs.restore(file, Peer.ETCD_3_6, other);
                    EtcdClient restored = new EtcdClient(etcd.home().target())) {
                assertThat(restored.revision()).isEqualTo(revision);
                assertThat(keys(restored, revision)).isEqualTo(expected);
            }
        }
    }

    /** A killed export leaves no file under its name, and does not hinder the next one. */
    @Test
    void aKilledExportLeavesNoFile() throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("server"));
        byte[] value = new byte[LARGE_BYTES];
        new Random(6).nextBytes(value);
        try (ServerProcess server = ServerProcess.start(ServerCommand.underTest(), home);
                EtcdClient client = new EtcdClient(home.target())) {
            for (int i = 0; i < LARGE_VALUES; i++) {
                var unused = client.put(Keys.of("large" + i), ByteString.copyFrom(value));
            }
            server.kill();
        }
        Path file = directory.resolve("killed.db");
        Path part = directory.resolve("killed.db.part");
        String[] arguments = {"export", file.toString(), "--data-dir=" + home.data()};
        killOnceItWrites(part, arguments);
        while (Files.exists(file)) { // killed too late
            Files.delete(file);
            killOnceItWrites(part, arguments);
        }
        assertThat(part).exists();
        assertThat(Programs.brain(arguments).code()).isZero();
        assertThat(part).doesNotExist();
        assertThat(Programs.run(Peer.ETCDUTL, "snapshot", "status", file.toString())).isNotEmpty();
        Programs.Result again = Programs.brain(arguments);
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.text()).isEqualTo("cannot export: " + file + ": the file exists\n");
    }

    private static void killOnceItWrites(Path part, String... arguments) throws Exception {
        Process export = Programs.startBrain(arguments);
        while (export.isAlive() && (!Files.exists(part) || isEmpty(part))) {
            Thread.sleep(1);
        }
        export.descendants().forEach(ProcessHandle::destroyForcibly);
        export.destroyForcibly().onExit().join();
    }

    private static boolean isEmpty(Path part) throws IOException {
        try {
            return Files.size(part) == 0;
        } catch (NoSuchFileException renamed) {
            return true; // the command ends
        }
    }

    private static String keys(EtcdClient client, long revision) {
        StringBuilder keys = new StringBuilder();
        client.range(
                        RangeRequest.newBuilder()
                                .setKey(PREFIX)
                                .setRangeEnd(Keys.prefixEnd(PREFIX))
                                .setRevision(revision)
                                .build())
                .getKvsList()
                .forEach(kv -> keys.append(kv.toString().replace('\n', ' ')).append('\n'));
        return keys.toString();
    }
}
