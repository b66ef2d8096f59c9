package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.brain.conformance.server.Peer;
import io.brain.conformance.server.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command blocks of the documents work; {@code test/docs.sh} runs them. */
@Tag("peer")
@Timeout(1800)
class DocumentedCommandsTest {
    @TempDir private Path directory;

    @Test
    void everyCommandBlockWorks() throws Exception {
        assumeTrue(System.getProperty("brain.command", "").isEmpty(), "the documents name ./brain");
        List.of(Peer.ETCD, Peer.KUBE_APISERVER, Peer.PD, Peer.UNISTORE).forEach(Peer::require);
        List.of(Peer.KUBECTL, Peer.OPENSSL, Peer.CURL).forEach(Peer::require);
        assumeTrue(
                run(
                                "unshare",
                                "--map-root-user",
                                "--net",
                                "--pid",
                                "--fork",
                                "--mount-proc",
                                "ip",
                                "link")
                        == 0,
                "no namespaces: install util-linux and iproute2, and allow user namespaces");

        int failed = run(Repository.root().resolve("test/docs.sh").toString());
        String output = Files.readString(output());
        System.out.print(output);
        assertThat(failed).as(output).isZero();
        assertThat(output).contains("blocks run ");
    }

    private Path output() {
        return directory.resolve("output");
    }

    private int run(String... command) throws InterruptedException {
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output().toFile())
                            .start();
        } catch (IOException notInstalled) {
            return -1;
        }
        try {
            return process.waitFor();
        } finally { // also after a timeout
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
