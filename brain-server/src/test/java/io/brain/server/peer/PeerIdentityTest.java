package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.proto.peer.CommandRequest;
import io.brain.proto.peer.CommandResponse;
import io.brain.proto.peer.Empty;
import io.brain.proto.peer.LeaseIds;
import io.brain.proto.peer.PeerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that reach another server than the leader. */
@Timeout(60)
class PeerIdentityTest {
    private PeerNode node;

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @ParameterizedTest
    @CsvSource({"0xc2, 0x1ead, 1", "0xc1, 0x1eae, 1", "0xc1, 0x1ead, 2"})
    void aCallForAnotherClusterMemberOrEpochIsNotExecuted(long cluster, long member, long epoch)
            throws Exception {
        LeaderLink link = node.linkTo(new LeaderId(cluster, member, epoch), node.url());
        assertThat(kind(link.submit(new ListLeases()))).isEqualTo(ErrorKind.NOT_LEADER);
        assertThat(kind(link.submit(new RevokeLease(1)))).isEqualTo(ErrorKind.NOT_LEADER);
        assertThat(node.leader.isIdle()).isTrue();
    }

    @Test
    void aStreamForAnotherLeaderEndsWithoutAnUpdate() throws Exception {
        LeaderLink link = node.linkTo(new LeaderId(0xc2, 0x1ead, 1), node.url());
        RecordingSink sink = new RecordingSink();
        link.eventStream(2, sink);
        sink.ended.get(20, TimeUnit.SECONDS);
        assertThat(sink.waiting()).isZero();
    }

    @Test
    void aCallWithoutLeaderIsRefused() {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", node.port()).usePlaintext().build();
        try {
            assertThatThrownBy(
                            () ->
                                    PeerGrpc.newBlockingStub(channel)
                                            .submit(
                                                    CommandRequest.newBuilder()
                                                            .setListLeases(
                                                                    Empty.getDefaultInstance())
                                                            .build()))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused ->
                                    assertThat(refused.getTrailers().get(PeerMethods.ERROR_KIND))
                                            .isEqualTo(ErrorKind.NOT_LEADER));
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void aResponseWithoutLeaderIsIgnored() throws Exception {
        ErrorKind kind =
                callAnother(
                        response -> {
                            response.onNext(
                                    CommandResponse.newBuilder()
                                            .setLeaseIds(LeaseIds.newBuilder().addIds(7))
                                            .build());
                            response.onCompleted();
                        });
        assertThat(kind).isEqualTo(ErrorKind.LEADER_CHANGED);
    }

    /** The call had no effect and can be repeated. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorKind.class,
            names = {"NOT_LEADER", "NO_SPACE"})
    void ofItsErrorsOnlyNotLeaderIsAccepted(ErrorKind returned) throws Exception {
        ErrorKind kind =
                callAnother(
                        response -> {
                            Metadata trailers = new Metadata();
                            trailers.put(PeerMethods.ERROR_KIND, returned);
                            response.onError(Status.UNKNOWN.asRuntimeException(trailers));
                        });
        assertThat(kind)
                .isEqualTo(
                        returned == ErrorKind.NOT_LEADER
                                ? ErrorKind.NOT_LEADER
                                : ErrorKind.LEADER_CHANGED);
    }

    private ErrorKind callAnother(Consumer<StreamObserver<CommandResponse>> handler)
            throws Exception {
        PeerGrpc.PeerImplBase service =
                new PeerGrpc.PeerImplBase() {
                    @Override
                    public void submit(
                            CommandRequest request, StreamObserver<CommandResponse> response) {
                        handler.accept(response);
                    }
                };
        Server another =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor()
                        .addService(service)
                        .build()
                        .start();
        try {
            String url = "http://127.0.0.1:" + another.getPort();
            return kind(node.linkTo(FakeLeader.ID, url).submit(new ListLeases()));
        } finally {
            another.shutdownNow();
        }
    }

    private static ErrorKind kind(CompletableFuture<?> call) throws Exception {
        try {
            call.get(20, TimeUnit.SECONDS);
            throw new AssertionError("the call succeeded");
        } catch (ExecutionException refused) {
            return ((BackendException) refused.getCause()).kind();
        }
    }
}
