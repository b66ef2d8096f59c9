package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The metrics page of a server on RocksDB: values change with activity. */
class WholePageTest {
    private static final int PUTS = 50;

    @TempDir private Path directory;
    private BrainServer server;
    private ManagedChannel channel;
    private KVGrpc.KVBlockingStub kv;
    private Page before;

    @BeforeEach
    void start() throws Exception {
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379");
        server = BrainServer.start(CommandLineReader.read(args, Map.of()).config());
        channel = NettyChannelBuilder.forAddress(address()).usePlaintext().build();
        kv = KVGrpc.newBlockingStub(channel);
        before = page();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.close();
    }

    /** As in etcd: an alert that divides by 0 would fire. */
    @Test
    void noQuotaIsMinusOne() {
        assertThat(before.value("etcd_server_quota_backend_bytes")).isEqualTo(-1);
    }

    @Test
    void everyStageOfAWriteIsMeasured() throws Exception {
        puts();
        eventually(this::requireWritesMeasured);
    }

    private void requireWritesMeasured(Page after) {
        for (String stage :
                List.of("brain_write_queue_duration_seconds", "brain_write_duration_seconds")) {
            assertThat(moved(after, stage + "_count")).as(stage).isEqualTo(PUTS);
            assertThat(after.value(stage + "_sum")).as(stage).isBetween(1e-9, 60.0);
        }
        assertThat(moved(after, "brain_write_evaluated_total")).isEqualTo(PUTS);
        assertThat(moved(after, "brain_batch_writes_sum")).isEqualTo(PUTS);
        assertThat(moved(after, "brain_batch_bytes_sum")).isGreaterThan(PUTS * 1000.0);
        for (String perBatch :
                List.of(
                        "brain_write_round_duration_seconds",
                        "brain_batch_writes",
                        "brain_batch_publish_duration_seconds",
                        "etcd_disk_backend_commit_duration_seconds",
                        "etcd_disk_wal_fsync_duration_seconds")) {
            assertThat(moved(after, perBatch + "_count")).as(perBatch).isBetween(1.0, 1.0 + PUTS);
        }
        assertThat(moved(after, "etcd_mvcc_put_total")).isEqualTo(PUTS);
        assertThat(after.value("brain_revision_sent")).isEqualTo(1 + PUTS);
        assertThat(after.value("etcd_debugging_mvcc_current_revision")).isEqualTo(1 + PUTS);
        assertThat(moved(after, "brain_storage_commits_total{result=\"committed\"}")).isPositive();
        assertThat(after.value("brain_storage_commits_total{result=\"conflict\"}")).isZero();
        assertThat(after.value("brain_write_pending")).isZero();
        assertThat(after.value("brain_write_refused_total")).isZero();
        assertThat(after.value("brain_read_waiting_of_tenant_max")).isZero();
        assertThat(after.value("etcd_server_leader_changes_seen_total")).isEqualTo(1);
        assertThat(after.value("brain_watch_unsent_bytes")).isZero();
        assertThat(after.value("brain_watch_unsent_max_bytes")).isPositive();
        assertThat(after.value("brain_watch_ring_bytes")).isGreaterThan(PUTS * 1000.0);
        assertThat(after.value("brain_watch_ring_revisions")).isEqualTo(PUTS);
        assertThat(after.value("brain_watch_ring_oldest_revision")).isEqualTo(2);
    }

    @Test
    void theEnginesFiguresArePlausible() throws Exception {
        puts();
        Page after = page();
        assertThat(after.names())
                .contains(
                        "brain_storage_write_stopped",
                        "brain_storage_write_stops",
                        "brain_storage_write_delays",
                        "brain_storage_background_errors");
        assertThat(after.value("brain_storage_write_stopped")).isZero();
        assertThat(after.value("brain_storage_background_errors")).isZero();
        assertThat(after.value("brain_storage_snapshots")).isBetween(0.0, 10.0);
        assertThat(after.value("brain_storage_memtable_bytes"))
                .isGreaterThan(PUTS * 1000.0)
                .isLessThan(1 << 30);
    }

    @Test
    @Timeout(60)
    void snapshotsAreMeasured() throws Exception {
        String count = "etcd_disk_backend_snapshot_duration_seconds_count";
        assertThat(before.value(count)).isZero();
        MaintenanceGrpc.newBlockingStub(channel)
                .snapshot(SnapshotRequest.getDefaultInstance())
                .forEachRemaining(piece -> {});
        while (page().value(count) != 1) {
            Thread.sleep(5); // until the server has ended the call
        }
    }

    @Test
    void readsLeasesCompactionsAndHashesAreMeasured() throws Exception {
        puts();
        RangeRequest range = RangeRequest.newBuilder().setKey(bytes("key")).build();
        assertThat(kv.range(range).getKvsCount()).isOne();
        LeaseGrpc.LeaseBlockingStub leases = LeaseGrpc.newBlockingStub(channel);
        leases.leaseGrant(LeaseGrantRequest.newBuilder().setID(7).setTTL(100).build());
        eventually(WholePageTest::requireReadAndLeaseMeasured);
        leases.leaseRevoke(LeaseRevokeRequest.newBuilder().setID(7).build());
        kv.compact(CompactionRequest.newBuilder().setRevision(1 + PUTS).setPhysical(true).build());
        MaintenanceGrpc.newBlockingStub(channel).hashKV(HashKVRequest.getDefaultInstance());
        eventually(WholePageTest::requireCompactionAndHashMeasured);
    }

    private static void requireReadAndLeaseMeasured(Page granted) {
        assertThat(granted.value("brain_leases")).isEqualTo(1);
        assertThat(granted.value("etcd_debugging_mvcc_keys_total")).isOne();
        assertThat(granted.value("etcd_debugging_auth_revision")).isOne();
        assertThat(granted.value("etcd_server_slow_apply_total")).isNotNegative();
        for (String type : List.of("Range", "LeaseGrant")) {
            String labels = "{success=\"true\",type=\"" + type + "\"}";
            assertThat(granted.value("etcd_server_request_duration_seconds_count" + labels))
                    .as(type)
                    .isOne();
        }
        assertThat(granted.value("etcd_server_range_duration_seconds_count{success=\"true\"}"))
                .isOne();
        assertThat(granted.value("etcd_debugging_lease_ttl_total_sum")).isEqualTo(100);
        assertThat(granted.value("etcd_debugging_lease_ttl_total_bucket{le=\"64\"}")).isZero();
        assertThat(granted.value("etcd_debugging_lease_ttl_total_bucket{le=\"128\"}")).isOne();
    }

    private static void requireCompactionAndHashMeasured(Page after) {
        assertThat(after.value("brain_leases")).isZero();
        assertThat(after.value("etcd_debugging_lease_granted_total")).isOne();
        assertThat(after.value("etcd_debugging_lease_revoked_total")).isOne();
        assertThat(after.value("etcd_debugging_server_lease_expired_total")).isZero();
        // The series begins with the first range.
        assertThat(after.value("etcd_server_range_duration_seconds_count{success=\"true\"}"))
                .isOne();
        assertThat(after.value("etcd_mvcc_hash_rev_duration_seconds_count")).isOne();
        assertThat(after.value("etcd_mvcc_hash_duration_seconds_count")).isZero();
        assertThat(after.value("etcd_debugging_mvcc_db_compaction_keys_total")).isEqualTo(PUTS - 1);
        assertThat(after.value("brain_compact_finished_revision")).isEqualTo(1 + PUTS);
        assertThat(after.value("brain_compact_pending_revisions")).isZero();
        assertThat(after.value("etcd_debugging_mvcc_compact_revision")).isEqualTo(1 + PUTS);
        assertThat(
                        after.value(
                                "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds"
                                        + "_count"))
                .isPositive();
        assertThat(after.value("brain_response_bytes")).isZero();
        assertThat(after.value("brain_response_max_bytes")).isPositive();
    }

    @Test
    void aFreshPageHasAllSeriesOfTheCommunityDashboard() {
        assertThat(DashboardSeries.missing(before, DashboardSeries.ofAServer())).isEmpty();
        assertThat(DashboardSeries.missing(before, DashboardSeries.ofAFollower())).hasSize(4);
    }

    @Test
    void callsAreTimed() throws Exception {
        puts();
        String labels =
                "{grpc_method=\"Put\",grpc_service=\"etcdserverpb.KV\",grpc_type=\"unary\"}";
        eventually(
                after -> {
                    assertThat(after.value("grpc_server_handling_seconds_count" + labels))
                            .isEqualTo(PUTS);
                    assertThat(after.value("grpc_server_handling_seconds_sum" + labels))
                            .isBetween(1e-6, 60.0);
                });
    }

    @Test
    void labelsAndSeriesAreFewAndAFreshPageHasThemAll() throws Exception {
        assertThat(before.series()).hasSizeLessThan(3000);
        puts();
        kv.range(RangeRequest.newBuilder().setKey(bytes("another")).build());
        assertThat(page().series()).containsAll(before.series());
        assertThat(page().names())
                .allMatch(name -> name.matches("(brain|etcd|grpc|jvm|os|process)_.*"));
    }

    private void puts() {
        for (int i = 0; i < PUTS; i++) {
            kv.put(
                    PutRequest.newBuilder()
                            .setKey(bytes("key"))
                            .setValue(bytes("v".repeat(1000)))
                            .build());
        }
    }

    private double moved(Page after, String series) {
        return after.value(series) - before.value(series);
    }

    /** A call may be counted a moment after its answer. */
    private void eventually(Consumer<Page> assertions) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try {
                assertions.accept(page());
                return;
            } catch (AssertionError notYet) {
                if (System.nanoTime() - end > 0) {
                    throw notYet;
                }
                Thread.sleep(5);
            }
        }
    }

    private Page page() throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + address().getPort() + "/metrics");
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(uri).build(),
                                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return Page.read(answer.body());
    }

    private InetSocketAddress address() {
        return server.clientAddresses().get(0);
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
