package io.brain.conformance.cluster.etcdctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Peer;
import io.brain.conformance.cluster.ServerCommand;
import io.brain.conformance.cluster.ServerHome;
import io.brain.conformance.cluster.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("peer")
class EtcdctlCheckPerfTest {

    /**
     * A minute of the small load, then a compaction and a defragmentation. How slow the slowest
     * request was depends on what else the machine does, so it is shown and not judged.
     */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void smallLoadIsSustained(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        try (ServerProcess server =
                        ServerProcess.start(
                                ServerCommand.underTest(), ServerHome.fresh(directory));
                EtcdClient client = new EtcdClient(server.home().target())) {
            Process check =
                    new ProcessBuilder(
                                    Peer.ETCDCTL.require().toString(),
                                    "--endpoints=" + server.home().target(),
                                    "--command-timeout=60s",
                                    "check",
                                    "perf",
                                    "--load=s",
                                    "--auto-compact",
                                    "--auto-defrag")
                            .redirectErrorStream(true)
                            .start();
            String output =
                    new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = check.waitFor();
            String verdicts =
                    output.lines()
                            .filter(line -> line.startsWith("PASS") || line.startsWith("FAIL"))
                            .collect(Collectors.joining("; "));
            System.out.println("summary: etcdctl check perf: " + verdicts);
            assertThat(output)
                    .contains("PASS: Throughput is")
                    .contains("Compacted with revision")
                    .contains("Defragmented");
            assertThat(exitCode).as(output).isIn(0, 1);
            assertThat(client.all().getCount()).as("keys that it left behind").isZero();
        }
    }
}
