package io.brain.conformance.members;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Peer;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.StatusResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No server reaches PD for ten seconds, as while a PD's leader is replaced. Writes wait, and go on
 * soon after PD is back: at the same leader, or at a server that reached PD before it did.
 */
@Tag("peer")
@Isolated
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PdAwayTest {
    private static final Duration AWAY = Duration.ofSeconds(10);

    /** Far less than a client waits that tries to connect less and less often. */
    private static final Duration BACK_MAX = Duration.ofSeconds(25);

    private static final Duration SERVING_MAX = Duration.ofSeconds(60);

    /** A busy machine's leader may lose its lease a few times more, not all the while. */
    private static final int ELECTIONS_MAX = 4;

    private static final int STATUS_TRIES = 20;
    private static final ByteString KEY = ByteString.copyFromUtf8("k");
    private static final Duration WAIT_MIN = Duration.ofSeconds(3);
    private static final long CALL_SECONDS_MAX = 40;
    private static final int PAUSE_MILLIS = 50;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @ParameterizedTest
    @EnumSource(
            value = Link.State.class,
            names = {"CUT", "HELD"})
    void writesGoOn(Link.State state) throws Exception {
        Peer.requireTikv();
        try (Cluster cluster = Cluster.start(Target.BRAIN, directory)) {
            Node leader = cluster.awaitLeader();
            long term = term(leader);
            List<ManagedChannel> channels = new ArrayList<>();
            cluster.nodes().forEach(node -> channels.add(node.directChannel()));
            ManagedChannel writer = leader.directChannel();
            channels.add(writer);
            try {
                put(writer, 0);
                awaitFirst(channels);
                setLinks(cluster, state);
                CompletableFuture<Integer> writes =
                        CompletableFuture.supplyAsync(() -> putOn(writer));
                readSerializable(channels);
                setLinks(cluster, Link.State.OPEN);
                long back = System.nanoTime();
                int last = writes.get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
                Duration took = Duration.ofNanos(System.nanoTime() - back);
                System.out.println(
                        "summary: PD away ("
                                + state
                                + ") for "
                                + AWAY
                                + ": next write after "
                                + took
                                + ", elections: "
                                + (term(leader) - term));
                assertThat(took).isLessThan(BACK_MAX);
                assertThat(cluster.awaitServing(SERVING_MAX)).isTrue();
                for (Node node : cluster.nodes()) {
                    assertThat(term(node)).as(node.name()).isBetween(term, term + ELECTIONS_MAX);
                }
                for (ManagedChannel channel : channels) {
                    assertThat(get(channel, false)).isEqualTo(last);
                }
            } finally {
                channels.forEach(ManagedChannel::shutdownNow);
            }
        }
    }

    private static void setLinks(Cluster cluster, Link.State state) {
        for (Node node : cluster.nodes()) {
            cluster.network().links(node.name(), "pd").forEach(link -> link.set(state));
        }
    }

    private static long term(Node node) {
        for (int tries = 0; tries < STATUS_TRIES; tries++) {
            Optional<StatusResponse> status = node.status();
            if (status.isPresent()) {
                return status.get().getRaftTerm();
            }
        }
        throw new AssertionError(node.name() + " does not answer");
    }

    /** Followers may learn of the first write later. */
    private static void awaitFirst(List<ManagedChannel> channels) throws InterruptedException {
        for (ManagedChannel channel : channels) {
            while (range(channel, true).getKvsCount() == 0) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Every node shows what it had, all the while. */
    private static void readSerializable(List<ManagedChannel> channels)
            throws InterruptedException {
        long end = System.nanoTime() + AWAY.toNanos();
        while (System.nanoTime() < end) {
            for (ManagedChannel channel : channels) {
                assertThat(get(channel, true)).isNotNegative();
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** Puts until one is answered a while after the first could not be; returns what it put. */
    private static int putOn(ManagedChannel channel) {
        boolean refused = false;
        for (int value = 1; ; value++) {
            try {
                long start = System.nanoTime();
                put(channel, value);
                boolean waited = System.nanoTime() - start > WAIT_MIN.toNanos();
                if (refused || waited) {
                    return value;
                }
            } catch (StatusRuntimeException unavailable) {
                refused = true;
            }
        }
    }

    private static void put(ManagedChannel channel, int value) {
        ByteString bytes = ByteString.copyFromUtf8(Integer.toString(value));
        var unused =
                KVGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                        .put(PutRequest.newBuilder().setKey(KEY).setValue(bytes).build());
    }

    private static int get(ManagedChannel channel, boolean serializable) {
        return Integer.parseInt(range(channel, serializable).getKvs(0).getValue().toStringUtf8());
    }

    private static RangeResponse range(ManagedChannel channel, boolean serializable) {
        RangeRequest request =
                RangeRequest.newBuilder().setKey(KEY).setSerializable(serializable).build();
        return KVGrpc.newBlockingStub(channel)
                .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                .range(request);
    }
}
