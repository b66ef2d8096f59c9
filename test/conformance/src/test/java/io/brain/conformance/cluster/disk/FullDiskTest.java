package io.brain.conformance.cluster.disk;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FullDiskTest {

    private static final int DISK_MIB = 96;
    private static final int VALUE_BYTES = 64 << 10;
    private static final int PUTS_MAX = 20_000;
    private static final int REFUSALS = 20;

    /** Longer than the disk takes to be full. */
    private static final long LEASE_SECONDS = 600;

    /** Deletes before a compaction: 3 MiB of values, which deletes keep until then. */
    private static final int PORTION = 50;

    private static final String NO_SPACE = "etcdserver: mvcc: database space exceeded";

    private ServerHome home;
    private SmallDisk disk;

    private final TreeMap<String, ByteString> acknowledged = new TreeMap<>();

    /** Keys whose last change was not answered: they may hold either. */
    private final TreeMap<String, ByteString> unknown = new TreeMap<>();

    private final Random random = new Random(11);
    private int number;

    @BeforeEach
    void mount(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        home = ServerHome.fresh(directory);
        disk = SmallDisk.mount(home.data(), DISK_MIB);
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
    }

    private ServerProcess start() throws IOException, InterruptedException {
        return ServerProcess.start(
                ServerCommand.underTest()
                        .withHeap(256)
                        .withFlags(List.of("--storage-option=memtable-size=4MiB"))
                        .under(disk.entering()),
                home);
    }

    @Test
    void aFullDiskRefusesWhatNeedsRoomAndServesTheRestAndLosesNothing() throws Exception {
        long lease;
        ServerProcess server = start();
        try (EtcdClient client = new EtcdClient(home.target())) {
            lease = client.grant(Duration.ofSeconds(LEASE_SECONDS));
            for (int i = 0; i < 20; i++) {
                put(client, "leased/" + i, 100, lease);
            }
            int puts = fill(client);
            System.out.printf("summary: full disk: refused after %d puts of 64 KiB%n", puts);
            assertFull(client);
            assertServesTheRest(client, lease);
            assertThat(server.isAlive()).isTrue();
            assertKept(client);
        } finally {
            server.kill();
        }

        server = start();
        try (EtcdClient client = new EtcdClient(home.target())) {
            assertKept(client);
            assertFull(client);
            assertServesTheRest(client, lease);
        } finally {
            server.close();
        }

        server = start();
        try (EtcdClient client = new EtcdClient(home.target())) {
            assertKept(client);
            makeRoom(client);
            for (int i = 0; i < 100; i++) {
                put(client, "after/" + i, VALUE_BYTES, 0);
            }
            assertThat(alarms(client)).isEmpty();
            assertKept(client);
        } finally {
            server.close();
        }
        server = start();
        try (EtcdClient client = new EtcdClient(home.target())) {
            assertKept(client);
        } finally {
            server.close();
        }
    }

    /**
     * Puts until the server has refused a number of times on end; the number of puts that it took.
     */
    private int fill(EtcdClient client) {
        int taken = 0;
        int refused = 0;
        while (refused < REFUSALS && taken < PUTS_MAX) {
            // Some are overwritten, so that a compaction has something to remove.
            String key = "fill/" + (number++ % 400);
            try {
                put(client, key, VALUE_BYTES, 0);
                taken++;
                refused = 0;
            } catch (StatusRuntimeException full) {
                assertThat(full.getStatus().getCode())
                        .as(full.toString())
                        .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE);
                refused++;
            }
        }
        assertThat(taken).isBetween(100, PUTS_MAX - 1);
        return taken;
    }

    private void put(EtcdClient client, String key, int bytes, long lease) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        ByteString value = ByteString.copyFrom(noise);
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(Keys.of(key))
                        .setValue(value)
                        .setLease(lease)
                        .build();
        try {
            var unused = client.kv().put(put);
            acknowledged.put(key, value);
            unknown.remove(key);
        } catch (StatusRuntimeException refused) {
            if (!NO_SPACE.equals(refused.getStatus().getDescription())) {
                unknown.put(key, value);
            }
            throw refused;
        }
    }

    private void assertFull(EtcdClient client) {
        assertThat(alarms(client)).containsExactly(AlarmType.NOSPACE);
        StatusRuntimeException refused = null;
        try {
            put(client, "refused", 10, 0);
        } catch (StatusRuntimeException expected) {
            refused = expected;
        }
        assertThat(refused).isNotNull();
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getStatus().getDescription()).isEqualTo(NO_SPACE);
    }

    private void assertServesTheRest(EtcdClient client, long lease) throws Exception {
        String victim = acknowledged.firstKey();
        assertThat(client.delete(Keys.of(victim), ByteString.EMPTY).getDeleted()).isEqualTo(1);
        acknowledged.remove(victim);
        unknown.remove(victim);
        assertThat(keepAlive(client, lease).getTTL()).isEqualTo(LEASE_SECONDS);
        assertThat(timeToLive(client, lease)).isPositive();
    }

    private static long timeToLive(EtcdClient client, long lease) {
        return client.lease()
                .leaseTimeToLive(LeaseTimeToLiveRequest.newBuilder().setID(lease).build())
                .getTTL();
    }

    private static LeaseKeepAliveResponse keepAlive(EtcdClient client, long lease)
            throws InterruptedException {
        BlockingQueue<LeaseKeepAliveResponse> answers = new ArrayBlockingQueue<>(1);
        StreamObserver<LeaseKeepAliveRequest> requests =
                LeaseGrpc.newStub(client.channel())
                        .leaseKeepAlive(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(LeaseKeepAliveResponse answer) {
                                        answers.add(answer);
                                    }

                                    @Override
                                    public void onError(Throwable failure) {}

                                    @Override
                                    public void onCompleted() {}
                                });
        requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        LeaseKeepAliveResponse answer = answers.poll(30, TimeUnit.SECONDS);
        requests.onCompleted();
        assertThat(answer).as("an answer to a keep-alive").isNotNull();
        return answer;
    }

    private void assertKept(EtcdClient client) {
        TreeMap<String, ByteString> found = new TreeMap<>();
        String from = "\0";
        boolean more = true;
        while (more) {
            var page =
                    client.range(
                            RangeRequest.newBuilder()
                                    .setKey(Keys.of(from))
                                    .setRangeEnd(Keys.ZERO)
                                    .setLimit(100)
                                    .build());
            for (KeyValue kv : page.getKvsList()) {
                found.put(kv.getKey().toStringUtf8(), kv.getValue());
                from = kv.getKey().toStringUtf8() + '\0';
            }
            more = page.getMore();
        }
        var expected = new TreeMap<>(acknowledged);
        unknown.forEach(
                (key, value) -> {
                    if (value.equals(found.get(key))) {
                        expected.put(key, value);
                    }
                });
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        found.forEach((key, value) -> assertThat(value.equals(expected.get(key))).as(key).isTrue());
    }

    /** As docs/operations.md says: compact, delete and compact in portions, disarm. */
    private void makeRoom(EtcdClient client) {
        var victims = new ArrayDeque<String>();
        for (String key : acknowledged.keySet()) {
            if (key.startsWith("fill/") && victims.size() < 300) {
                victims.add(key);
            }
        }
        compact(client, client.revision());
        while (!victims.isEmpty()) {
            long revision = 0;
            for (int i = 0; i < PORTION && !victims.isEmpty(); i++) {
                String key = victims.remove();
                revision = client.delete(Keys.of(key), ByteString.EMPTY).getHeader().getRevision();
                acknowledged.remove(key);
                unknown.remove(key);
            }
            compact(client, revision);
        }
        long begin = System.nanoTime();
        while (!isWritable(client)) {
            assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.MINUTES.toNanos(2));
        }
        System.out.printf(
                "summary: full disk: writes resumed %d ms after the compaction%n",
                (System.nanoTime() - begin) / 1_000_000);
    }

    private static void compact(EtcdClient client, long revision) {
        var unused =
                client.kv()
                        .compact(
                                CompactionRequest.newBuilder()
                                        .setRevision(revision)
                                        .setPhysical(true)
                                        .build());
    }

    private boolean isWritable(EtcdClient client) {
        for (AlarmMember alarm : raised(client)) {
            var unused =
                    MaintenanceGrpc.newBlockingStub(client.channel())
                            .withDeadlineAfter(60, TimeUnit.SECONDS)
                            .alarm(
                                    AlarmRequest.newBuilder()
                                            .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                                            .setAlarm(alarm.getAlarm())
                                            .setMemberID(alarm.getMemberID())
                                            .build());
        }
        try {
            for (int i = 0; i < 20; i++) {
                put(client, "again/" + i, VALUE_BYTES, 0);
            }
            return true;
        } catch (StatusRuntimeException stillFull) {
            return false;
        }
    }

    private static List<AlarmType> alarms(EtcdClient client) {
        return raised(client).stream().map(AlarmMember::getAlarm).toList();
    }

    private static List<AlarmMember> raised(EtcdClient client) {
        return MaintenanceGrpc.newBlockingStub(client.channel())
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .alarm(AlarmRequest.newBuilder().build())
                .getAlarmsList();
    }
}
