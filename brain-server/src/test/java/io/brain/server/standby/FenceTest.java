package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.mirror.WayBack;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who lifts the fence of a source, and who raises it again. */
class FenceTest {
    private static final int OWNER = 7;

    @TempDir private Path directory;
    private BrainServer server;
    private StandbyClient client;
    private ManagedChannel channel;
    private SourceCluster source;

    @BeforeEach
    void start() throws Exception {
        server = StandbyClient.server(directory.resolve("source"));
        client = new StandbyClient(server.clientAddresses().get(0).getPort());
        channel = channel(server);
        source = new SourceCluster("source", channel, OWNER);
    }

    @AfterEach
    void close() {
        channel.shutdownNow();
        client.close();
        server.close();
    }

    private static ManagedChannel channel(BrainServer server) {
        return NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                .usePlaintext()
                .build();
    }

    @Test
    void onlyALeaderLiftsTheFenceOfACutoverThatDidNotEnd() throws Exception {
        long id = source.id();
        source.fence();
        var deposed = new BackendException(ErrorKind.LEADER_CHANGED);
        SourceState state = new SourceState(source, () -> id, false);
        assertThatThrownBy(() -> state.inspect(id, () -> CompletableFuture.failedFuture(deposed)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(
                        () ->
                                new SourceState(source, () -> 0, false)
                                        .inspect(id, FenceTest::proved))
                .hasMessage("another server did the cutover");
        assertThat(source.isFenced()).isTrue();
        state.inspect(id, FenceTest::proved);
        assertThat(source.isFenced()).isFalse();
    }

    private static CompletableFuture<Void> proved() {
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void aWayBackThatFailsLeavesTheFenceOfItsOwner() throws Exception {
        var unused = client.put("only", "here");
        source.fence();
        try (BrainServer other = StandbyClient.server(directory.resolve("other"))) {
            ManagedChannel from = channel(other);
            SourceCluster empty = new SourceCluster("empty", from);
            SourceCluster target = new SourceCluster("target", channel);
            assertThatThrownBy(
                            () ->
                                    new WayBack(
                                                    empty,
                                                    from,
                                                    target,
                                                    channel,
                                                    (step, done, total) -> {})
                                            .close())
                    .hasMessageContaining("has revision 2, and the source only 1");
            from.shutdownNow();
            assertThat(target.isFenced()).isFalse();
            assertThat(source.isFenced()).isTrue();
        }
    }

    @Test
    void leasesAreKeptAgainWhenTheFenceIsRaisedAgain() throws Exception {
        long lease = client.grant(60);
        BrainServer following =
                StandbyClient.server(directory.resolve("standby"), "--standby-of=" + client.url());
        try (following;
                StandbyClient standby =
                        new StandbyClient(following.clientAddresses().get(0).getPort())) {
            var unused = standby.cutover();
            SourceCluster fenced =
                    new SourceCluster("source", channel, Long.hashCode(standby.memberId()));
            Eventually.holds(() -> ttl(lease) >= 59);
            fenced.unfence();
            Eventually.holds(() -> ttl(lease) <= 56); // meanwhile it is not kept
            fenced.fence();
            Eventually.holds(() -> ttl(lease) >= 59);
        }
    }

    private long ttl(long lease) {
        LeaseTimeToLiveRequest request = LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        return LeaseGrpc.newBlockingStub(channel).leaseTimeToLive(request).getTTL();
    }
}
