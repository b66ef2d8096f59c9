package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store with authentication enabled, from etcd to Brain and back: users keep what they may do.
 */
@Tag("peer")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ImportedUsersTest {
    private static final String ROOT = "--user=root:all";
    private static final String USER = "--user=bench:some";

    private static final List<String> SETUP =
            List.of(
                    "user add root:all",
                    "user grant-role root root",
                    "user add bench:some",
                    "user add nobody --no-password",
                    "role add bench",
                    "role grant-permission bench readwrite app/ --prefix=true",
                    "role grant-permission bench read shared",
                    "user grant-role bench bench",
                    "put app/1 one",
                    "put shared two",
                    "put other three",
                    "auth enable");

    /** What each user may do, is refused, and sees. */
    private static final List<String> CALLS =
            List.of(
                    "get app/ --prefix " + USER,
                    "get shared " + USER,
                    "get other " + USER,
                    "get other " + ROOT,
                    "get app/1",
                    "get app/1 --user=bench:wrong",
                    "get app/1 --user=nobody:",
                    "put shared x " + USER,
                    "del app/2 " + USER,
                    "user list " + USER,
                    "user list " + ROOT,
                    "user get bench " + USER,
                    "role get bench " + USER,
                    "role list " + ROOT,
                    "member list " + "--user=bench:wrong",
                    "alarm list");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void usersAndRolesMoveToBrainAndBack() throws Exception {
        Path there = directory.resolve("etcd.db");
        Path back = directory.resolve("brain.db");
        Map<String, String> expected;
        try (ServerProcess etcd =
                ServerProcess.start(
                        ServerCommand.etcd(), ServerHome.fresh(directory.resolve("etcd")))) {
            for (String call : SETUP) {
                Programs.Result result = call(etcd, call);
                assertThat(result.code()).as(call + ": " + result.text()).isZero();
            }
            expected = answers(etcd);
            assertThat(call(etcd, "snapshot save " + there + " " + ROOT).code()).isZero();
        }
        ServerHome home = ServerHome.fresh(directory.resolve("brain"));
        Programs.brainDone("import", there.toString(), "--data-dir=" + home.data());
        try (ServerProcess brain = ServerProcess.start(ServerCommand.underTest(), home)) {
            assertThat(answers(brain)).isEqualTo(expected);
            assertThat(call(brain, "snapshot save " + back + " " + ROOT).code()).isZero();
        }
        try (ServerProcess etcd =
                Programs.restore(back, ServerHome.fresh(directory.resolve("back")))) {
            assertThat(answers(etcd)).isEqualTo(expected);
        }
    }

    private static Map<String, String> answers(ServerProcess server) throws Exception {
        Map<String, String> answers = new LinkedHashMap<>();
        for (String call : CALLS) {
            Programs.Result result = call(server, call);
            answers.put(call, result.code() + ": " + withoutLog(result.text()));
        }
        return answers;
    }

    private static Programs.Result call(ServerProcess server, String call)
            throws IOException, InterruptedException {
        return Programs.attempt(
                Peer.ETCDCTL,
                Stream.concat(
                                Stream.of("--endpoints=" + server.home().target()),
                                Stream.of(call.split(" ", -1)))
                        .toArray(String[]::new));
    }

    /** The client logs failed attempts with times and addresses. */
    private static String withoutLog(String text) {
        return String.join("\n", text.lines().filter(line -> !line.startsWith("{")).toList());
    }
}
