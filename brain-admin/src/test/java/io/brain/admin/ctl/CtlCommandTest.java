package io.brain.admin.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line without a server; with one: the server's ConsoleTest. */
class CtlCommandTest {
    @TempDir private Path directory;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<List<String>> checked = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nope",
                "status -o xml",
                "status --nope",
                "status --cert c",
                "status --endpoint ftp://h",
                "completion fish",
                "status more"
            })
    void aMalformedCommandLineGetsTheUsage(String line) {
        List<String> words = line.isEmpty() ? List.of() : List.of(line.split(" "));
        assertThat(run(words)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Usage: brain ctl");
    }

    @ParameterizedTest
    @CsvSource({"statu, status", "status --outptu=json, --output"})
    void aMistypedNameGetsASuggestion(String line, String meant) {
        assertThat(run(List.of(line.split(" ")))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("; did you mean " + meant + "?")
                .contains("Usage: brain ctl");
    }

    @Test
    void theExitCodeOfAnUnreachableServerIsThree() {
        assertThat(run(List.of("status", "--endpoint=http://127.0.0.1:1"))).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("cannot reach ");
    }

    /** A server that requires one can cut the connection before its alert is read. */
    @Test
    void aFailedTlsConnectionNamesTheFlagsOfCertificates() {
        assertThat(run(List.of("status", "--endpoint=https://127.0.0.1:1"))).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("set --cert and --key");
    }

    @Test
    void aSilentSocketTimesOut() throws Exception {
        Path silent = directory.resolve("silent");
        try (ServerSocketChannel channel =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(silent))) {
            assertThat(channel.isOpen()).isTrue();
            assertThatThrownBy(() -> UnixSocket.get(silent.toString(), "/", Duration.ofMillis(300)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no answer within");
        }
    }

    @Test
    void checkGetsItsFlagsUnchanged() {
        assertThat(run(List.of("check", "--data-dir", "d"))).isEqualTo(7);
        assertThat(checked).containsExactly(List.of("--data-dir", "d"));
        assertThat(run(List.of("check", "--help"))).isZero();
        assertThat(shown())
                .contains("--data-dir", "Exit codes", "1   damage found, or not checked");
    }

    @Test
    void helpAndCompletionComeFromTheSameCommands() {
        assertThat(run(List.of("--help"))).isZero();
        assertThat(shown()).contains("compaction", "Exit codes", "3   server unreachable");
        assertThat(run(List.of("completion", "bash"))).isZero();
        assertThat(shown()).startsWith("#!").contains("compaction", "--endpoint", "complete -F");
    }

    private int run(List<String> words) {
        out.reset();
        err.reset();
        CtlCommand.Check check =
                flags -> {
                    checked.add(flags);
                    return 7;
                };
        return new CtlCommand(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        check,
                        (trusted, certificate, key) -> null)
                .run(words);
    }

    private String shown() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
