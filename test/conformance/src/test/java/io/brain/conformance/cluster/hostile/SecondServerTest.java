package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecondServerTest extends HostileFixture {

    @Test
    void secondServerOnTheSameDirectoryIsRefusedWithOneLine(@TempDir Path logs) throws Exception {
        assumeFalse(command().isEtcd(), "etcd waits for the directory in place of ending");
        ServerHome same = home().onOtherPorts(logs);
        ServerProcess second = ServerProcess.launch(command(), same);
        int exitCode;
        try {
            exitCode = second.awaitExit(Duration.ofMinutes(2));
        } finally {
            second.close();
        }
        assertThat(exitCode).isPositive();
        List<String> said = second.log().lines().filter(line -> !line.isBlank()).toList();
        assertThat(said).noneMatch(line -> line.startsWith("\tat "));
        assertThat(said.get(said.size() - 1))
                .contains(same.data().toString())
                .containsAnyOf("lock", "in use", "another");
    }
}
