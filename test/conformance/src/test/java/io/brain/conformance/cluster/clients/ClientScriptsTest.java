package io.brain.conformance.cluster.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.ServerPair;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.Repository;
import io.brain.conformance.server.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real clients, and the calls of others as scripts, on a fresh etcd and a fresh server under test:
 * what they print must be equal.
 */
@Tag("peer")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClientScriptsTest {
    private static final Path SCRIPTS =
            Repository.root()
                    .resolve("test/conformance/src/test/resources/io/brain/conformance/clients");

    @ParameterizedTest
    @CsvSource({
        "etcd3gw_calls.py,35",
        "tooz_calls.py,25",
        "apisix.sh,70",
        "patroni.sh,80",
        "kamaji.sh,60",
        "clustermesh.sh,70"
    })
    void aClientSeesTheSame(
            String script, int linesMin, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        try (ServerPair servers = ServerPair.start(directory)) {
            List<String> etcd = run(script, servers.etcd());
            List<String> brain = run(script, servers.server());
            System.out.printf("summary: %s: %d lines%n", script, brain.size());
            assertThat(etcd).hasSizeGreaterThan(linesMin);
            assertThat(brain).isEqualTo(etcd);
        }
    }

    private static List<String> run(String script, ServerProcess server)
            throws IOException, InterruptedException {
        String target = server.home().target();
        Path file = SCRIPTS.resolve(script);
        boolean python = script.endsWith(".py");
        List<String> command =
                python
                        ? List.of(
                                Peer.PYTHON_CLIENTS.require().toString(),
                                "-B",
                                file.toString(),
                                target.substring(target.indexOf(':') + 1))
                        : List.of("bash", file.toString(), "http://" + target);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (!python) {
            Peer.CURL.require();
            Path etcdctl = Peer.ETCDCTL.require();
            builder.environment()
                    .merge(
                            "PATH",
                            etcdctl.getParent().toString(),
                            (old, own) -> old + File.pathSeparator + own);
        }
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return Stream.of(output.split("\n")).map(ClientScriptsTest::masked).toList();
    }

    /**
     * Without what differs between two servers: ids, terms, ports, etcd's changing white space, the
     * texts for malformed JSON, and the field of older etcds that Brain's errors also have.
     */
    private static String masked(String line) {
        return line.replaceAll("([,:]) ([\"{\\[])", "$1$2")
                .replaceAll("\"(cluster_id|member_id|raft_term|ID)\":\"\\d{6,}\"", "\"$1\":\"N\"")
                .replaceAll("\"raft_term\":\"\\d+\"", "\"raft_term\":\"N\"")
                .replaceAll("127\\.0\\.0\\.1:\\d+", "ADDRESS")
                .replaceAll("(,\"message\":\"([^\"]*)\"),\"error\":\"\\2\"", "$1")
                // Go's text has another kind of blank in some builds.
                .replaceAll("proto:[ \u00a0](\\(line \\d+:\\d+\\): )?([a-z ]+)[^,}]*", "proto: $2");
    }
}
