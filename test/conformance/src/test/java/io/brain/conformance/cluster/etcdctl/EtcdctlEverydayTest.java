package io.brain.conformance.cluster.etcdctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Matrix;
import io.brain.conformance.cluster.ServerPair;
import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script of everyday commands, each a test of its own, on etcd and on the server under test.
 */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdctlEverydayTest {

    private ServerPair servers;
    private Etcdctl onEtcd;
    private Etcdctl onServer;
    private final Map<String, Step> started = new HashMap<>();
    private final Matrix matrix = new Matrix("etcdctl");

    @BeforeAll
    void startServers(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        servers = ServerPair.start(directory);
        onEtcd = new Etcdctl(servers.etcd().home(), directory.resolve("etcd-output"));
        onServer = new Etcdctl(servers.server().home(), directory.resolve("server-output"));
    }

    @AfterAll
    void stopServers() throws IOException {
        Stream.of(onEtcd, onServer).filter(e -> e != null).forEach(Etcdctl::close);
        if (servers != null) {
            servers.close();
            matrix.write();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyCommandPrintsTheSame() throws IOException {
        List<Step> script = Step.parse(script());
        assertThat(script).hasSizeGreaterThan(200);
        return script.stream().map(step -> DynamicTest.dynamicTest(name(step), () -> take(step)));
    }

    private void take(Step step) throws IOException, InterruptedException {
        Output expected = Mask.of(onEtcd.take(step));
        Output actual = Mask.of(onServer.take(step));
        boolean deviates = step.kind() == Step.Kind.DEVIATE && !ServerCommand.underTest().isEtcd();
        switch (step.kind()) {
            case RUN, DEVIATE -> note(step, expected, actual, deviates);
            case START -> started.put(step.name(), step);
            case STOP -> note(started.get(step.name()), expected, actual, false);
            case AWAIT -> {}
        }
        if (deviates) {
            assertThat(actual).as("no deviation any more: " + step.text()).isNotEqualTo(expected);
        } else {
            assertThat(actual).as(step.text()).isEqualTo(expected);
        }
    }

    private void note(Step step, Output expected, Output actual, boolean deviates) {
        String input = step.input().isEmpty() ? "" : " <<< " + step.input().replace("\n", "; ");
        String group =
                step.words().stream().filter(word -> !word.startsWith("-")).findFirst().orElse("");
        matrix.add(
                group,
                step.words().stream()
                                .map(word -> word.matches("\\S+") ? word : "'" + word + "'")
                                .collect(Collectors.joining(" "))
                        + input,
                expected.toString(),
                actual.toString(),
                deviates);
    }

    private static String name(Step step) {
        return "line " + step.line() + ": " + step.text();
    }

    private static List<String> script() throws IOException {
        try (InputStream in = EtcdctlEverydayTest.class.getResourceAsStream("everyday.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
