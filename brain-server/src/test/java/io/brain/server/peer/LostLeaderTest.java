package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.ErrorKind;
import io.brain.server.Eventually;
import io.brain.storage.testkit.FreePorts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LostLeaderTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Far from {@link #TIMEOUT}, and long enough for a busy machine. */
    private static final double SOON_SECONDS = 15;

    private PeerNode node;

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void aRunningCallMayHaveTakenEffectWhenTheLeaderStops() throws Exception {
        LeaderLink link = node.link(TIMEOUT, node.url());
        CompletableFuture<?> call = link.submit(new ListLeases());
        node.leader.next();
        long start = System.nanoTime();
        node.stopListening();
        assertThat(LeaderCallsTest.kindOf(call)).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(secondsSince(start)).isLessThan(SOON_SECONDS);
        assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                .isEqualTo(ErrorKind.NOT_LEADER);
    }

    @Test
    void aCallToAStoppedLeaderHasNoEffect() throws Exception {
        String url = node.url();
        node.stopListening();
        LeaderLink link = node.link(TIMEOUT, url);
        long start = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                    .isEqualTo(ErrorKind.NOT_LEADER);
        }
        assertThat(secondsSince(start)).isLessThan(SOON_SECONDS);
    }

    @Test
    void aRestartedLeaderIsReachedSoon() throws Exception {
        String url = "http://127.0.0.1:" + FreePorts.next();
        node.stopListening();
        LeaderLink link = node.link(TIMEOUT, url);
        long silent = System.nanoTime();
        while (secondsSince(silent) < 10.5) { // grpc-java's own back-off is 6.6 s by then
            assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                    .isEqualTo(ErrorKind.NOT_LEADER);
            Thread.sleep(20);
        }
        node.listen(url);
        long back = System.nanoTime();
        CompletableFuture<?> call = link.submit(new ListLeases());
        while (node.leader.isIdle()) {
            if (call.isDone()) {
                call = link.submit(new ListLeases());
            }
            Thread.sleep(20);
        }
        assertThat(secondsSince(back)).isLessThan(4);
    }

    @Test
    void bothSidesCloseAConnectionThatHangs() throws Exception {
        try (CutLine line = new CutLine(node.port())) {
            LeaderLink link = node.link(TIMEOUT, line.url());
            CompletableFuture<?> call = link.submit(new ListLeases());
            FakeLeader.Received received = node.leader.next();
            long start = System.nanoTime();
            line.cut();
            assertThat(LeaderCallsTest.kindOf(call)).isEqualTo(ErrorKind.LEADER_CHANGED);
            Eventually.holds(received.result()::isCancelled);
            assertThat(secondsSince(start)).isBetween(1.0, SOON_SECONDS);
        }
    }

    @Test
    void aServerThatAcceptsAndSendsNothingIsNotReached() throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            LeaderLink link = node.link(TIMEOUT, "http://127.0.0.1:" + mute.getLocalPort());
            long start = System.nanoTime();
            assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                    .isEqualTo(ErrorKind.NOT_LEADER);
            assertThat(secondsSince(start)).isLessThan(SOON_SECONDS);
        }
    }

    @Test
    void aSlowLeaderDoesNotLoseTheConnection() throws Exception {
        LeaderLink link = node.link(TIMEOUT, node.url());
        CompletableFuture<?> call = link.submit(new ListLeases());
        FakeLeader.Received received = node.leader.next();
        Thread.sleep(3500);
        received.result().complete(List.of(1L));
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(List.of(1L));
    }

    @Test
    void theUrlsAreTriedInTurn() throws Exception {
        String dead = "http://127.0.0.1:" + FreePorts.next();
        LeaderLink link = node.link(TIMEOUT, dead, "no url", "http://127.0.0.1", node.url());
        for (int i = 0; i < 3; i++) {
            CompletableFuture<?> call = link.submit(new ListLeases());
            node.leader.next().result().complete(List.of(1L));
            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(List.of(1L));
        }
        RecordingSink sink = new RecordingSink();
        link.eventStream(3, sink);
        assertThat(node.leader.nextStream().from).isEqualTo(3);
    }

    @Test
    void withoutAValidUrlNoLeaderIsReached() throws Exception {
        LeaderLink link = node.link(TIMEOUT, "no url");
        assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                .isEqualTo(ErrorKind.NOT_LEADER);
        RecordingSink sink = new RecordingSink();
        link.eventStream(3, sink);
        assertThat(sink.ended.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void aClosedLinkFailsItsCalls() throws Exception {
        LeaderLink link = node.link(TIMEOUT, node.url());
        CompletableFuture<?> call = link.submit(new ListLeases());
        FakeLeader.Received received = node.leader.next();
        link.close();
        assertThat(LeaderCallsTest.kindOf(call)).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                .isEqualTo(ErrorKind.NOT_LEADER);
        Eventually.holds(received.result()::isCancelled);
    }

    @Test
    void anUnknownKindOfErrorIsInternal() throws Exception {
        Metadata trailers = new Metadata();
        trailers.put(
                Metadata.Key.of("brain-error-kind", Metadata.ASCII_STRING_MARSHALLER),
                "MOON_PHASE");
        trailers.put(PeerMethods.LEADER, FakeLeader.ID);
        assertThat(endOf(Status.UNKNOWN, trailers)).isEqualTo(ErrorKind.INTERNAL);
    }

    @Test
    void aStatusWithoutKindMeansThatTheCallMayHaveTakenEffect() throws Exception {
        assertThat(endOf(Status.UNAVAILABLE, new Metadata())).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(endOf(Status.OK, new Metadata())).isEqualTo(ErrorKind.LEADER_CHANGED);
    }

    private ErrorKind endOf(Status status, Metadata trailers) throws Exception {
        ServerServiceDefinition service =
                ServerServiceDefinition.builder("brain.peer.Peer")
                        .addMethod(
                                PeerMethods.SUBMIT,
                                (call, headers) -> {
                                    call.close(status, trailers);
                                    return new ServerCall.Listener<>() {};
                                })
                        .build();
        Server server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(service)
                        .build()
                        .start();
        try {
            LeaderLink link = node.link(TIMEOUT, "http://127.0.0.1:" + server.getPort());
            return LeaderCallsTest.kindOf(link.submit(new ListLeases()));
        } finally {
            server.shutdownNow();
        }
    }

    private static double secondsSince(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
