package io.brain.conformance.cluster.etcdctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Matrix;
import io.brain.conformance.cluster.ServerPair;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("peer")
class EtcdctlCheckPerfTest {
    private static final Pattern THROUGHPUT =
            Pattern.compile("Throughput (?:is|too low:) (\\d+) writes/s");

    /**
     * A minute of the small load on both servers at once, then a compaction and a defragmentation.
     * How slow the slowest request was depends on what else the machine does, so it is shown and
     * not judged. So does the throughput, which is compared with etcd's.
     */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void smallLoadIsSustained(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        try (ServerPair servers = ServerPair.start(directory);
                EtcdClient client = new EtcdClient(servers.server().home().target())) {
            Process onEtcd = check(servers.etcd().home());
            Process onServer = check(servers.server().home());
            String expected = output(onEtcd);
            String actual = output(onServer);
            Matrix matrix = new Matrix("etcdctl check");
            matrix.add(
                    "perf",
                    "check perf --load=s --auto-compact --auto-defrag",
                    withoutTimes(verdicts(onEtcd, expected)),
                    withoutTimes(verdicts(onServer, actual)),
                    true);
            matrix.write();
            System.out.println("summary: etcdctl check perf: " + verdicts(onServer, actual));
            assertThat(writesPerSecond(actual))
                    .as("writes/s, etcd: %s", verdicts(onEtcd, expected))
                    .isGreaterThanOrEqualTo(writesPerSecond(expected) / 2);
            assertThat(actual).contains("Compacted with revision").contains("Defragmented");
            assertThat(onServer.exitValue()).as(actual).isIn(0, 1);
            assertThat(client.all().getCount()).as("keys that it left behind").isZero();
        }
    }

    private static Process check(ServerHome home) throws IOException {
        return new ProcessBuilder(
                        Peer.ETCDCTL.require().toString(),
                        "--endpoints=" + home.target(),
                        "--command-timeout=60s",
                        "check",
                        "perf",
                        "--load=s",
                        "--auto-compact",
                        "--auto-defrag")
                .redirectErrorStream(true)
                .start();
    }

    /** All that it printed, once it has ended. */
    private static String output(Process check) throws IOException, InterruptedException {
        String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        check.waitFor();
        return output;
    }

    private static int writesPerSecond(String output) {
        Matcher throughput = THROUGHPUT.matcher(output);
        assertThat(throughput.find()).as(output).isTrue();
        return Integer.parseInt(throughput.group(1));
    }

    private static String withoutTimes(String verdicts) {
        return verdicts.replaceAll("[0-9.]+s\\b", "<time>");
    }

    private static String verdicts(Process check, String output) {
        return output.lines()
                .filter(line -> line.startsWith("PASS") || line.startsWith("FAIL"))
                .collect(Collectors.joining("; ", check.exitValue() + ": ", ""));
    }
}
