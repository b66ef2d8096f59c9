package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.Member;
import io.brain.server.Eventually;
import io.brain.server.config.BrainConfig;
import io.brain.server.front.EventLoops;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.peer.ReadyChannels.Purpose;
import io.brain.server.tls.TlsContexts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadyChannelsTest {
    private final List<ManagedChannel> opened = new ArrayList<>();
    private final ReadyChannels channels = new ReadyChannels(this::open);
    private PeerNode node;
    private Purpose purpose;

    @BeforeEach
    void start() throws IOException {
        node = new PeerNode();
        purpose = new Purpose("127.0.0.1:" + node.port(), 1 << 20);
    }

    @AfterEach
    void stop() {
        channels.close();
        opened.forEach(ManagedChannel::shutdownNow);
        node.close();
    }

    private ManagedChannel open(Purpose wanted) {
        if (wanted.url().isEmpty()) {
            throw new IllegalArgumentException("no URL");
        }
        ManagedChannel channel = NettyChannelBuilder.forTarget(wanted.url()).usePlaintext().build();
        opened.add(channel);
        return channel;
    }

    @Test
    void aConnectionIsTakenOnceIfItIsEstablished() throws InterruptedException {
        assertThat(channels.take(purpose)).isNull();
        channels.keep(Set.of(purpose, new Purpose("", 1)));
        List<ManagedChannel> taken = new ArrayList<>();
        Eventually.holds(
                () -> {
                    ManagedChannel channel = channels.take(purpose);
                    return channel != null && taken.add(channel);
                });
        assertThat(taken).isEqualTo(opened);
        assertThat(channels.take(purpose)).isNull();
        channels.keep(Set.of(purpose));
        assertThat(opened).as("the next one").hasSize(2);
    }

    @Test
    void aMemberThatStoppedIsNotConnected() {
        node.stopListening();
        channels.keep(Set.of(purpose));
        channels.keep(Set.of(purpose));
        assertThat(opened).hasSize(1);
        assertThat(channels.take(purpose)).isNull();
    }

    @Test
    void eachCallTriesToConnectToAMemberThatIsAway() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (ServerSocket away = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread refusing = new Thread(() -> refuse(away, attempts));
            refusing.setDaemon(true);
            refusing.start();
            Purpose gone = new Purpose("127.0.0.1:" + away.getLocalPort(), 1);
            for (int call = 0; call < 100 && attempts.get() < 4; call++) {
                channels.keep(Set.of(gone));
                Thread.sleep(20);
            }
            assertThat(attempts.get())
                    .as("grpc-java waits 1, 1.6 and 2.6 s")
                    .isGreaterThanOrEqualTo(4);
        }
    }

    private static void refuse(ServerSocket away, AtomicInteger attempts) {
        try {
            while (true) {
                away.accept().close();
                attempts.incrementAndGet();
            }
        } catch (IOException closed) {
            return; // the test ended
        }
    }

    @Test
    void connectionsEndWithTheirMembersAndAtTheClose() {
        channels.keep(Set.of(purpose));
        channels.keep(Set.of());
        assertThat(opened.get(0).isShutdown()).isTrue();
        channels.keep(Set.of(purpose));
        channels.close();
        assertThat(opened.get(1).isShutdown()).isTrue();
        channels.keep(Set.of(purpose));
        assertThat(opened).hasSize(2);
    }

    @Test
    void aLinkToANewLeaderUsesTheConnection() throws Exception {
        try (CutLine line = new CutLine(node.port());
                EventLoops loops = new EventLoops(1);
                GrpcPeers peers =
                        new GrpcPeers(
                                loops,
                                new TlsContexts(BrainConfig.Tls.NONE),
                                Duration.ofSeconds(20),
                                new PeerMetrics(),
                                () -> PeerNode.FOLLOWER)) {
            List<Member> members =
                    List.of(
                            member(PeerNode.FOLLOWER, "http://127.0.0.1:1"),
                            member(PeerNode.LEADER, line.url()));
            peers.keepReady(() -> CompletableFuture.completedFuture(members));
            Eventually.holds(
                    () -> {
                        int before = line.connections();
                        call(peers.connect(FakeLeader.ID, List.of(line.url())));
                        return line.connections() == before;
                    });
        }
    }

    private static Member member(long id, String url) {
        return new Member(id, "member", List.of(url), List.of());
    }

    /** Makes a call, and closes the link. */
    private void call(LeaderLink link) {
        try {
            CompletableFuture<?> call = link.submit(new ListLeases());
            node.leader.next().result().complete(List.of());
            assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo(List.of());
        } catch (InterruptedException | ExecutionException | TimeoutException failure) {
            throw new AssertionError(failure);
        } finally {
            link.close();
        }
    }
}
