package io.brain.conformance.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Form;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Target;
import io.brain.conformance.server.Peer;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
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

/** Waiters on two servers, whose leader, a third one, is killed. */
@Tag("peer")
@Isolated
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LockFailoverTest {
    private static final int WAITERS = Form.size(300, 1000);
    private static final Duration LEADER_LEASE = Duration.ofSeconds(3);

    @Test
    void aKilledLeaderMakesNoSecondOwner(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        Peer.requireTikv();
        try (Cluster cluster = Cluster.start(Target.BRAIN, directory, LEADER_LEASE)) {
            Node leader = cluster.awaitLeader();
            List<ManagedChannel> channels =
                    cluster.nodes().stream()
                            .filter(node -> node != leader)
                            .map(Node::channel)
                            .toList();
            try (LockContest contest =
                    new LockContest(List.<Channel>copyOf(channels), "lock", WAITERS, 1)) {
                while (contest.owners().size() < WAITERS / 5) {
                    Thread.sleep(10);
                }
                leader.program().kill();
                long killed = System.nanoTime();
                assertThat(contest.awaitAll(180)).isTrue();
                long next =
                        contest.owners().stream()
                                .mapToLong(LockContest.Owner::nanos)
                                .filter(nanos -> nanos > killed + 500_000_000L)
                                .min()
                                .orElseThrow();
                System.out.printf(
                        "summary: %d waiters on two followers, leader killed: next owner after %d"
                                + " ms, %d calls repeated%n",
                        WAITERS, (next - killed) / 1_000_000, contest.failures());
                assertThat(contest.violations()).isEmpty();
                assertThat(contest.owners()).hasSize(WAITERS);
                assertThat(contest.keys()).isZero();
            } finally {
                channels.forEach(ManagedChannel::shutdownNow);
            }
        }
    }
}
