package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** etcdctl snapshot save from a server, and a real etcd that is restored from it. */
@Tag("peer")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SnapshotTest {

    private static final int CHANGES = 300;
    private static final int PIECE_BYTES = 32 << 10;

    /** No region is split: a server starts meanwhile. */
    private static final long REGION_BYTES = 1 << 30;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @BeforeEach
    void requirePeers() {
        List.of(Peer.ETCD, Peer.ETCDCTL, Peer.ETCDUTL, Peer.BBOLT).forEach(Peer::require);
    }

    @Test
    void aRestoredEtcdIsTheSame() throws Exception {
        try (ServerProcess server = start(ServerCommand.underTest(), "server")) {
            snapshotIsTheSame(server, server, 1);
        }
    }

    @Test
    void aRestoredEtcdIsTheSameAsAClusterOnTikv() throws Exception {
        Peer.requireTikv();
        try (TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES)) {
            ServerCommand command =
                    ServerCommand.underTest()
                            .withFlags(
                                    List.of(
                                            "--storage=tikv",
                                            "--pd-endpoints=" + bed.pdEndpoints()));
            try (ServerProcess leader = start(command, "leader");
                    ServerProcess follower = start(command, "follower")) {
                snapshotIsTheSame(leader, follower, 2);
                exportFromTikvIsTheSame(bed, leader.home());
            }
        }
    }

    private void exportFromTikvIsTheSame(TikvBed bed, ServerHome leader) throws Exception {
        Path file = directory.resolve("export.db");
        Programs.Result result =
                Programs.brain(
                        "export",
                        file.toString(),
                        "--storage=tikv",
                        "--pd-endpoints=" + bed.pdEndpoints());
        assertThat(result.text()).contains("exported " + file + ": revision ");
        ServerHome home = ServerHome.fresh(directory.resolve("exported"));
        try (ServerProcess etcd = Programs.restore(file, home);
                EtcdClient original = new EtcdClient(leader.target());
                EtcdClient restored = new EtcdClient(etcd.home().target())) {
            Twins.compareAt(original, restored, original.revision());
        }
    }

    /** Changes a store by one server, takes a snapshot from another, and restores it. */
    private void snapshotIsTheSame(ServerProcess written, ServerProcess asked, int seed)
            throws Exception {
        Path file = directory.resolve("snapshot-" + seed);
        try (EtcdClient client = new EtcdClient(written.home().target())) {
            MixedLoad load = new MixedLoad(client, seed);
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            long compacted = load.compact();
            load.putLarge();
            for (int i = 0; i < CHANGES; i++) {
                load.change();
            }
            Programs.save(asked.home(), file);
            ServerHome home = ServerHome.fresh(directory.resolve("restored-" + seed));
            try (ServerProcess etcd = Programs.restore(file, home);
                    EtcdClient restored = new EtcdClient(etcd.home().target())) {
                Twins.compare(client, restored, compacted);
            }
        }
    }

    @Test
    void aSnapshotUnderWritesIsOneRevision() throws Exception {
        try (ServerProcess server = start(ServerCommand.underTest(), "server");
                EtcdClient client = new EtcdClient(server.home().target())) {
            MixedLoad load = new MixedLoad(client, 3);
            AtomicBoolean writing = new AtomicBoolean(true);
            Thread writer =
                    new Thread(
                            () -> {
                                while (writing.get()) {
                                    load.change();
                                }
                            });
            writer.start();
            try {
                for (int i = 0; i < 3; i++) {
                    Path file = directory.resolve("snapshot-" + i);
                    long before = client.revision();
                    Programs.save(server.home(), file);
                    ServerHome home = ServerHome.fresh(directory.resolve("restored-" + i));
                    try (ServerProcess etcd = Programs.restore(file, home);
                            EtcdClient restored = new EtcdClient(etcd.home().target())) {
                        long revision = restored.revision();
                        assertThat(revision).isBetween(before, client.revision());
                        Twins.compareAt(client, restored, revision);
                        Twins.compareAt(client, restored, revision / 2 + 1);
                    }
                }
            } finally {
                writing.set(false);
                writer.join();
            }
        }
    }

    @Test
    void theMessagesAreThoseOfEtcd() throws Exception {
        try (ServerProcess server = start(ServerCommand.underTest(), "server");
                ServerProcess etcd = start(ServerCommand.etcd(), "etcd")) {
            List<String> versions = new ArrayList<>();
            for (ServerProcess each : List.of(server, etcd)) {
                try (EtcdClient client = new EtcdClient(each.home().target())) {
                    new MixedLoad(client, 4).putLarge();
                    versions.add(checkMessages(client));
                }
            }
            assertThat(versions.get(0)).isEqualTo(versions.get(1));
        }
    }

    /** Checks the form of the messages; returns the version in them. */
    private static String checkMessages(EtcdClient client) {
        Iterator<SnapshotResponse> responses =
                MaintenanceGrpc.newBlockingStub(client.channel())
                        .snapshot(SnapshotRequest.getDefaultInstance());
        SnapshotResponse first = responses.next();
        assertThat(first.getBlob().size()).isEqualTo(PIECE_BYTES);
        long remaining = first.getRemainingBytes();
        while (remaining > 0) {
            SnapshotResponse next = responses.next();
            assertThat(next.hasHeader()).isFalse();
            assertThat(next.getBlob().size()).isEqualTo((int) Math.min(PIECE_BYTES, remaining));
            remaining -= next.getBlob().size();
            assertThat(next.getRemainingBytes()).isEqualTo(remaining);
            assertThat(next.getUnknownFields()).isEqualTo(first.getUnknownFields());
        }
        SnapshotResponse hash = responses.next();
        assertThat(hash.getBlob().size()).isEqualTo(32);
        assertThat(hash.getRemainingBytes()).isZero();
        assertThat(responses.hasNext()).isFalse();
        return first.hasHeader() + " " + hash.getVersion() + " " + first.getVersion();
    }

    private ServerProcess start(ServerCommand command, String name) throws Exception {
        return ServerProcess.start(command, ServerHome.fresh(directory.resolve(name)));
    }
}
