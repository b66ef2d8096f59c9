package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Matrix;
import io.brain.conformance.cluster.ServerPair;
import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The calls of jetcd's clients, each a test of its own, on etcd and on the server under test. */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class JetcdMatrixTest {

    private final Matrix matrix = new Matrix("jetcd");
    private ServerPair servers;
    private JetcdSide onEtcd;
    private JetcdSide onServer;

    @BeforeAll
    void startServers(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        servers = ServerPair.start(directory);
        onEtcd = new JetcdSide(servers.etcd().home());
        onServer = new JetcdSide(servers.server().home());
    }

    @AfterAll
    void stopServers() throws IOException {
        Stream.of(onEtcd, onServer).filter(s -> s != null).forEach(JetcdSide::close);
        if (servers != null) {
            servers.close();
            matrix.write();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyCallAnswersTheSame() {
        return JetcdCalls.all().stream()
                .map(
                        call ->
                                DynamicTest.dynamicTest(
                                        call.client() + ": " + call.text(), () -> make(call)));
    }

    private void make(JetcdCalls.Call call) throws Exception {
        String expected = onEtcd.make(call);
        String actual = onServer.make(call);
        boolean deviates = call.deviates() && !ServerCommand.underTest().isEtcd();
        matrix.add(call.client(), call.text(), expected, actual, deviates);
        if (deviates) {
            assertThat(actual).as("no deviation any more").isNotEqualTo(expected);
        } else {
            assertThat(actual).isEqualTo(expected);
        }
    }
}
