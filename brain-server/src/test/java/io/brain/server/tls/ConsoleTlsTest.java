package io.brain.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.admin.ctl.CtlCommand;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client certificates are required for the console, and {@code brain ctl} can send one. */
@Timeout(60)
class ConsoleTlsTest {
    @TempDir private Path directory;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void withoutACertificateQueriesAreRefused() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        Files.writeString(file("ca.crt"), authority.certificate());
        authority.issue(directory, "server");
        authority.issue(directory, "client");
        List<String> flags =
                List.of(
                        "--data-dir=" + file("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379",
                        "--listen-metrics-urls=https://127.0.0.1:0",
                        "--cert-file=" + file("server.crt"),
                        "--key-file=" + file("server.key"),
                        "--trusted-ca-file=" + file("ca.crt"));
        try (BrainServer server =
                BrainServer.start(CommandLineReader.read(flags, Map.of()).config())) {
            String endpoint = "https://127.0.0.1:" + server.metricsAddresses().get(0).getPort();
            String own = "--cert=" + file("client.crt");
            String key = "--key=" + file("client.key");
            String trusted = "--cacert=" + file("ca.crt");
            assertThat(ctl(endpoint, trusted, own, key)).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("leads");
            assertThat(ctl(endpoint, trusted)).isEqualTo(3);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("if it requires a client certificate, set --cert and --key");
            assertThat(out.size()).isZero();
            assertThat(ctl(endpoint, own, key)).as("untrusted client").isEqualTo(3);
            assertThat(ctl(endpoint, "--cacert=" + file("none"))).isEqualTo(1);
        }
    }

    private int ctl(String endpoint, String... more) {
        out.reset();
        err.reset();
        List<String> words = new ArrayList<>(List.of("status", "--endpoint", endpoint));
        words.addAll(List.of(more));
        PrintStream shown = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream said = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new CtlCommand(shown, said, flags -> 0, ClientIdentity::context).run(words);
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
