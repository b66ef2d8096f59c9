package io.brain.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exit codes, as documented in docs/operations.md and docs/console.md; damage: StoreCheckTest. */
class CheckCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @TempDir private Path directory;

    @Test
    void helpListsTheExitCodes() {
        assertThat(check("--help")).isZero();
        assertThat(shown())
                .startsWith("Usage: brain check ")
                .contains("0   nothing is damaged", "1   something is damaged", "2   not checked")
                .doesNotContain("--listen-client-urls");
    }

    @Test
    void anIntactStoreIsZero() throws Exception {
        List<String> flags =
                List.of(
                        "--data-dir=" + directory.resolve("store"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:0");
        BrainServer.start(CommandLineReader.read(flags, Map.of()).config()).close();
        assertThat(check(flags.get(0))).isZero();
        assertThat(shown().lines()).hasSize(1);
    }

    @Test
    void aFailedCheckIsTwoAndOneForCtl() {
        String none = "--data-dir=" + directory.resolve("none");
        assertThat(check(none)).isEqualTo(2);
        assertThat(CheckCommand.runForCtl(List.of(none), Map.of(), printer())).isEqualTo(1);
    }

    @Test
    void aWrongFlagIsTwo() {
        assertThat(check("--data-dirr=d")).isEqualTo(2);
        assertThat(check("--log-level=loud")).isEqualTo(2);
        assertThat(CheckCommand.runForCtl(List.of("--data-dirr=d"), Map.of(), printer()))
                .isEqualTo(2);
    }

    private int check(String... flags) {
        return CheckCommand.run(List.of(flags), Map.of(), printer());
    }

    private PrintStream printer() {
        return new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    private String shown() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
