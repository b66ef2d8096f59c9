package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.etcd.AuthEnableRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserGrantRoleRequest;
import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import io.brain.server.config.CommandLineReader;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Health checks of a server with authentication, which need no user. */
class HealthOfUsersTest {
    @Test
    @Timeout(60)
    void checksNeedNoUser(@TempDir Path directory) throws Exception {
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379",
                        "--bcrypt-cost=4");
        try (BrainServer server =
                BrainServer.start(CommandLineReader.read(args, Map.of()).config())) {
            enable(server);
            String url = "http://127.0.0.1:" + server.clientAddresses().get(0).getPort();
            for (String path :
                    List.of(
                            "/readyz",
                            "/readyz/serializable_read",
                            "/livez",
                            "/health",
                            "/health?serializable=true")) {
                var answer = Eventually.answer(URI.create(url + path));
                assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
            }
        }
    }

    private static void enable(BrainServer server) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                        .usePlaintext()
                        .build();
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(channel);
        var unused =
                auth.userAdd(
                        AuthUserAddRequest.newBuilder().setName("root").setPassword("p").build());
        var unusedGrant =
                auth.userGrantRole(
                        AuthUserGrantRoleRequest.newBuilder()
                                .setUser("root")
                                .setRole("root")
                                .build());
        var unusedEnable = auth.authEnable(AuthEnableRequest.getDefaultInstance());
        channel.shutdownNow();
    }
}
