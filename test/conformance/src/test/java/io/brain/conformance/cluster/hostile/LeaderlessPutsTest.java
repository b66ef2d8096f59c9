package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.ProcessMemory;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.TikvBed;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Large puts at a follower with a small heap that hears no leader: those that would exceed its
 * memory are refused, the others wait as in etcd, and the follower leads afterwards.
 */
@Tag("peer")
@Isolated
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LeaderlessPutsTest {

    private static final int PUTS = 2_000;
    private static final int PUT_BYTES = 1 << 20;

    /** Several times what may wait, and within what the client's own buffers hold. */
    private static final int PUTS_AT_ONCE = 200;

    private static final int CONNECTIONS = 8;

    /** Nobody leads for this long after the leader is lost. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static final Duration WAIT_MAX = LEASE.plusSeconds(30);
    private static final int PAUSE_MILLIS = 50;

    /** A refusal, or the end of a put that was let in and has waited for a leader. */
    private static final Set<String> REFUSALS =
            Set.of("etcdserver: too many requests", "context deadline exceeded");

    private static final ByteString KEY = Keys.of("kept");

    /** No region is split: a server starts meanwhile. */
    private static final long REGION_BYTES = 1 << 30;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @BeforeEach
    void requirePeers() {
        Peer.requireTikv();
        assumeFalse(HostileFixture.command().isEtcd(), "etcd does not run on TiKV");
    }

    @Test
    void putsBeyondTheBoundAreRefusedAndTheOthersWait() throws Exception {
        try (TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES);
                ServerProcess leader = start(bed, "leader");
                ServerProcess follower = start(bed, "follower");
                EtcdClient client = new EtcdClient(follower.home().target())) {
            var unused = client.put(KEY, KEY);
            leader.kill();
            long killed = System.nanoTime();
            awaitNoLeader(client);
            CallTimes gets = new CallTimes("serializable gets", () -> get(client));
            gets.measureQuiet();
            Map<String, Integer> ends;
            try (PutStorm storm = new PutStorm(follower.home().target(), CONNECTIONS)) {
                storm.begin(PUTS, PUTS_AT_ONCE, HostileFixture.value(1, PUT_BYTES));
                gets.measureBeside(storm::isOver);
                ends = storm.ends();
            }
            long peakMib = ProcessMemory.of(follower.pid()).peakBytes() >> 20;
            System.out.printf(
                    "summary: hostile, puts of 1 MiB without a leader: peak RSS %d MiB%s; ends"
                            + " %s%n",
                    peakMib, gets, ends);
            assertThat(ends.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(PUTS);
            assertThat(ends).containsKey("etcdserver: too many requests");
            if (System.nanoTime() - killed > LEASE.toNanos() / 2) {
                ends.remove("answered"); // the follower may have led before the storm was over
            }
            assertThat(ends.keySet()).isSubsetOf(REFUSALS);
            assertThat(peakMib)
                    .isLessThanOrEqualTo(HostileFixture.HEAP_MIB + HostileFixture.BESIDES_HEAP_MIB);
            assertThat(follower.isAlive()).isTrue();
            awaitLeads(client);
        }
    }

    private ServerProcess start(TikvBed bed, String name) throws IOException, InterruptedException {
        ServerCommand command =
                HostileFixture.command()
                        .withFlags(
                                List.of(
                                        "--storage=tikv",
                                        "--pd-endpoints=" + bed.pdEndpoints(),
                                        "--leader-lease=" + LEASE.toSeconds() + "s"));
        return ServerProcess.start(command, ServerHome.fresh(directory.resolve(name)));
    }

    private static void get(EtcdClient client) {
        var kept =
                client.range(RangeRequest.newBuilder().setKey(KEY).setSerializable(true).build());
        assertThat(kept.getKvsCount()).isEqualTo(1);
    }

    private static void awaitNoLeader(EtcdClient client) throws InterruptedException {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        while (MaintenanceGrpc.newBlockingStub(client.channel())
                        .status(StatusRequest.getDefaultInstance())
                        .getLeader()
                != 0) {
            assertThat(System.nanoTime()).as("the leader is missed").isLessThan(deadline);
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** Waits until the follower has become the leader and takes puts. */
    private static void awaitLeads(EtcdClient client) {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        while (true) {
            try {
                var unused = client.put(KEY, KEY);
                return;
            } catch (StatusRuntimeException noLeaderYet) {
                if (System.nanoTime() > deadline) {
                    throw noLeaderYet;
                }
            }
        }
    }
}
