package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.api.AuthRoleListRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserChangePasswordRequest;
import io.etcd.jetcd.api.AuthUserListRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** No password and no token gets into a log or a page, however much is logged. */
@Tag("peer")
@Timeout(300)
class SecretsTest {
    private static final String ROOT = "secret-of-root";
    private static final String ALICE = "secret-of-alice";
    private static final String NEW = "secret-of-alice-since";
    private static final String WRONG = "secret-mistyped";
    private static final String STOLEN = "StolenTokenAbcde.1";

    /** As stored. */
    private static final String HASH = "$2a$";

    @Test
    void noSecretIsLoggedOrShown(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "the flags are Brain's");
        Path access = directory.resolve("access.log");
        ServerCommand command =
                ServerCommand.underTest()
                        .shortLived()
                        .withFlags(
                                List.of(
                                        "--log-level=debug",
                                        "--warning-unary-request-duration=1us",
                                        "--warning-apply-duration=1us",
                                        "--brain-ui-keys",
                                        "--brain-access-log=" + access));
        ServerHome home = ServerHome.fresh(directory);
        List<String> secrets = new ArrayList<>(List.of(ROOT, ALICE, NEW, WRONG, STOLEN, HASH));
        List<String> texts = new ArrayList<>();
        try (ServerProcess server = ServerProcess.start(command, home)) {
            secrets.addAll(signInAndOut(server.home().target()));
            for (String page : List.of("/metrics", "/health", "/readyz?verbose", "/ui")) {
                texts.add(page(home.metricsUrl() + page));
            }
        }
        texts.add(Files.readString(home.log()));
        texts.add(Files.readString(access));
        assertThat(texts.get(texts.size() - 1)).contains("Authenticate").contains("UserAdd");
        for (String secret : secrets) {
            assertThat(texts).noneMatch(text -> text.contains(secret));
        }
    }

    /** All tokens that were issued. */
    private static List<String> signInAndOut(String target) {
        List<String> tokens = new ArrayList<>();
        try (EtcdClient nobody = new EtcdClient(target)) {
            nobody.enableAuth(ROOT);
            tokens.add(nobody.authenticate("root", ROOT));
            refused(() -> nobody.authenticate("root", WRONG));
            refused(() -> nobody.authenticate("stranger", WRONG));
            try (EtcdClient root = EtcdClient.withToken(target, tokens.get(0))) {
                var user = AuthUserAddRequest.newBuilder().setName("alice").setPassword(ALICE);
                var unusedUser = root.auth().userAdd(user.build());
                tokens.add(nobody.authenticate("alice", ALICE));
                var change = AuthUserChangePasswordRequest.newBuilder().setName("alice");
                var unusedChange = root.auth().userChangePassword(change.setPassword(NEW).build());
                tokens.add(nobody.authenticate("alice", NEW));
                var unusedUsers = root.auth().userList(AuthUserListRequest.getDefaultInstance());
                var unusedRoles = root.auth().roleList(AuthRoleListRequest.getDefaultInstance());
                var unusedPut = root.put(Keys.of("k"), Keys.of("v"));
            }
            for (String token : List.of(tokens.get(1), tokens.get(2), STOLEN)) {
                try (EtcdClient other = EtcdClient.withToken(target, token)) {
                    refused(() -> other.put(Keys.of("k"), Keys.of("v")));
                    refused(() -> other.auth().userAdd(AuthUserAddRequest.getDefaultInstance()));
                }
            }
        }
        return tokens;
    }

    private static void refused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(StatusRuntimeException.class)
                .satisfies(
                        failure ->
                                assertThat(failure.getMessage())
                                        .doesNotContain("secret-")
                                        .doesNotContain(STOLEN));
    }

    private static String page(String url) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(url)).build(),
                                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        return answer.body();
    }
}
