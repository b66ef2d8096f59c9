package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.process.ServerException;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.mirror.WayBack;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users and roles on the way back, which brings keys and leases only. */
class WayBackUsersTest {
    @TempDir private Path directory;

    @Test
    void aCutoverFailsAndLiftsTheFenceIfRolesChanged() throws Exception {
        try (BrainServer source = start("source");
                BrainServer target = start("target")) {
            ManagedChannel from = channel(source);
            ManagedChannel to = channel(target);
            try (WayBack way =
                    new WayBack(
                            new SourceCluster("source", from),
                            from,
                            new SourceCluster("target", to),
                            to,
                            (step, done, total) -> {})) {
                put(from, 2);
                bring(way);
                AuthRoleAddRequest role = AuthRoleAddRequest.newBuilder().setName("r").build();
                var unusedFirst = AuthGrpc.newBlockingStub(from).roleAdd(role);
                assertThatThrownBy(way::cutOver)
                        .isInstanceOf(IOException.class)
                        .hasMessage("users or roles of the source have changed");
                put(from, 3);
                var unusedSecond = AuthGrpc.newBlockingStub(to).roleAdd(role);
                bring(way);
                assertThat(way.cutOver().revision()).isEqualTo(3);
            } finally {
                from.shutdownNow();
                to.shutdownNow();
            }
        }
    }

    private static void bring(WayBack way) throws IOException {
        while (way.lag() > 0) {
            var unused = way.step(Duration.ofMillis(100));
        }
    }

    private static void put(ManagedChannel channel, long revision) {
        PutRequest put = PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("k")).build();
        assertThat(KVGrpc.newBlockingStub(channel).put(put).getHeader().getRevision())
                .isEqualTo(revision);
    }

    private static ManagedChannel channel(BrainServer server) {
        return NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                .usePlaintext()
                .build();
    }

    private BrainServer start(String name) throws ServerException {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve(name),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0");
        return BrainServer.start(CommandLineReader.read(flags, Map.of()).config());
    }
}
