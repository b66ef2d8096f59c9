package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A standby of a cluster with authentication enabled: before the cutover each call is permitted or
 * refused as at the source; afterwards by the copied users and roles.
 */
@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StandbyOfUsersTest {
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private ServerProcess source;
    private ServerProcess standby;

    private static Stream<String> sources() {
        return Stream.concat(
                Stream.of(Peer.ETCD, Peer.ETCD_3_4, Peer.ETCD_3_5, Peer.ETCD_3_6).map(Peer::name),
                Stream.of("BRAIN"));
    }

    private static ServerCommand command(String source) {
        return source.equals("BRAIN")
                ? ServerCommand.underTest()
                : ServerCommand.of(Peer.valueOf(source));
    }

    @AfterEach
    void stop() {
        if (standby != null) {
            standby.close();
        }
        if (source != null) {
            source.close();
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void callsArePermittedAsAtTheSource(String name) throws Exception {
        assumeFalse(ServerCommand.underTest().isEtcd(), "etcd is no standby");
        ServerHome from = ServerHome.fresh(directory.resolve("source"));
        ServerHome to = ServerHome.fresh(directory.resolve("standby"));
        source = ServerProcess.start(command(name), from);
        UserCalls.setUp(from.target());
        Path password = Files.writeString(directory.resolve("password"), UserCalls.PASSWORD + "\n");
        ServerCommand following =
                ServerCommand.underTest()
                        .withFlags(
                                List.of(
                                        "--standby-of=" + from.clientUrl(),
                                        "--standby-user=root",
                                        "--standby-password-file=" + password));
        standby = ServerProcess.start(following, to);
        Map<String, Map<String, String>> expected = UserCalls.answers(from.target());
        assertThat(UserCalls.answers(to.target())).isEqualTo(expected);

        // The tokens of etcd end with its process: also the one that the standby follows with.
        source.kill();
        source = ServerProcess.start(command(name), from);
        change(from, to);
        standby.kill();
        standby = ServerProcess.start(following, to);
        assertThat(UserCalls.answers(to.target())).isEqualTo(expected);

        String old = UserCalls.token(to.target(), "root");
        cutOver(to, password);
        try (EtcdClient late = EtcdClient.withToken(to.target(), old)) {
            assertThatThrownBy(late::all).hasMessageContaining("invalid auth token");
        }
        try (EtcdClient first =
                        EtcdClient.withToken(
                                from.target(), UserCalls.token(from.target(), "root"));
                EtcdClient second =
                        EtcdClient.withToken(to.target(), UserCalls.token(to.target(), "root"))) {
            MovedCluster.requireEqual(first, second);
        }
        boolean sameRules = name.equals("BRAIN") || name.equals("ETCD");
        UserCalls.answers(to.target())
                .forEach(
                        (user, calls) ->
                                assertThat(sameRules ? calls : UserCalls.ofKeys(calls))
                                        .as(user)
                                        .isEqualTo(
                                                sameRules
                                                        ? expected.get(user)
                                                        : UserCalls.ofKeys(expected.get(user))));
    }

    /** The user root cuts over, and no other one. */
    private static void cutOver(ServerHome to, Path password) throws Exception {
        List<String> command = List.of("migrate", "--cutover", "--endpoints=" + to.clientUrl());
        Programs.Result nobody = Programs.brain(command.toArray(String[]::new));
        assertThat(nobody.code()).as(nobody.text()).isEqualTo(1);
        assertThat(nobody.text()).contains("user name is empty");
        Programs.Result writer = Programs.brain(as("writer", command, password));
        assertThat(writer.code()).as(writer.text()).isEqualTo(1);
        assertThat(writer.text()).contains("permission denied");
        String text = Programs.brainDone(as("root", command, password));
        System.out.println("summary: standby of a source with users: " + text);
    }

    private static String[] as(String user, List<String> command, Path password) {
        List<String> words = new ArrayList<>(command);
        words.add("--user=" + user);
        words.add("--password-file=" + password);
        return words.toArray(String[]::new);
    }

    private static void change(ServerHome from, ServerHome to) throws Exception {
        String token = UserCalls.token(from.target(), "root");
        try (EtcdClient root = EtcdClient.withToken(to.target(), token)) {
            StandbyOfMembersTest.awaitWrites(root);
            for (int i = 0; i < 20; i++) {
                var unused = root.put(Keys.of("changed"), Keys.of("" + i));
            }
        }
    }
}
