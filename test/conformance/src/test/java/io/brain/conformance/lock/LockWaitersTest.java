package io.brain.conformance.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A thousand waiters on one lock, and owners and waiters that are killed. */
@Tag("peer")
@Isolated
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LockWaitersTest {
    private static final int WAITERS = 1000;
    private static final int CONNECTIONS = 10;

    /** Long enough for a holder that cannot renew for a while, as the machine is busy. */
    private static final int HOLDER_TTL = 10;

    @Test
    void aKilledHolderIsFollowedByOneWaiterAtATime(
            @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        Path etcdctl = Peer.ETCDCTL.require();
        ServerHome home = ServerHome.fresh(directory);
        try (ServerProcess server = ServerProcess.start(ServerCommand.underTest(), home)) {
            List<ManagedChannel> channels = connect(home);
            Process holder = hold(etcdctl, home);
            try (LockContest contest =
                    new LockContest(List.<Channel>copyOf(channels), "lock", WAITERS, 1)) {
                while (contest.keys() < WAITERS + 1) {
                    assertThat(holder.isAlive()).isTrue();
                    Thread.sleep(50);
                }
                assertThat(contest.owners()).isEmpty();
                killWaiters(home, contest);
                holder.destroyForcibly().waitFor();
                long killed = System.nanoTime();
                assertThat(contest.awaitAll(180)).isTrue();
                List<LockContest.Owner> owners = contest.owners();
                long first = owners.get(0).nanos() - killed;
                long last = owners.get(WAITERS - 1).nanos() - killed;
                System.out.printf(
                        "summary: %d waiters on a lock, holder with a TTL of %d s killed: next"
                                + " owner after %d ms, all in %d ms%n",
                        WAITERS, HOLDER_TTL, first / 1_000_000, (last - first) / 1_000_000);
                assertThat(contest.violations()).isEmpty();
                assertThat(contest.failures()).isZero();
                assertThat(owners).hasSize(WAITERS);
                assertThat(first).isLessThan(TimeUnit.SECONDS.toNanos(HOLDER_TTL + 30L));
                assertThat(contest.keys()).isZero();
            } finally {
                holder.destroyForcibly();
                channels.forEach(ManagedChannel::shutdownNow);
            }
            assertThat(server.isAlive()).isTrue();
        }
    }

    /** A connection with waiters that is lost leaves no keys, and wakes nobody. */
    private static void killWaiters(ServerHome home, LockContest others) throws Exception {
        try (EtcdClient client = new EtcdClient(home.target())) {
            try (var lost = new LockContest(List.of(client.channel()), "lock", 100, 9001)) {
                while (others.keys() < WAITERS + 101) {
                    Thread.sleep(50);
                }
                assertThat(lost.owners()).isEmpty();
            }
            client.channel().shutdownNow();
        }
        while (others.keys() != WAITERS + 1) {
            Thread.sleep(50);
        }
        assertThat(others.owners()).isEmpty();
    }

    private static List<ManagedChannel> connect(ServerHome home) {
        return IntStream.range(0, CONNECTIONS)
                .<ManagedChannel>mapToObj(
                        i -> NettyChannelBuilder.forTarget(home.target()).usePlaintext().build())
                .toList();
    }

    /** Holds the lock in a process of its own. */
    private static Process hold(Path etcdctl, ServerHome home) throws IOException {
        Process holder =
                new ProcessBuilder(
                                etcdctl.toString(),
                                "--endpoints=" + home.target(),
                                "lock",
                                "--ttl=" + HOLDER_TTL,
                                "lock")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(holder.inputReader().readLine()).startsWith("lock/");
        return holder;
    }
}
