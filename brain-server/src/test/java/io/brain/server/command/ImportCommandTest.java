package io.brain.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Command line and exit codes, as documented in docs/moving.md; imported data: ImporterTest. */
class ImportCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir private Path directory;

    @Test
    void helpListsOptionsAndExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("Usage: brain import ")
                .contains("--skip-hash-check", "--exclude-prefix", "--cluster-id", "2   invalid");
    }

    @Test
    void anInvalidCommandLineIsTwo() {
        assertThat(run()).isEqualTo(2);
        assertThat(errors()).isEqualTo("missing parameter: FILE\n");
        assertThat(run("db", "--prefixx=a")).isEqualTo(2);
        assertThat(errors()).contains("did you mean --prefix?");
        assertThat(run("db", "other", "--data-dir=" + directory)).isEqualTo(2);
        assertThat(run("db", "--cluster-id=0")).isEqualTo(2);
        assertThat(errors()).contains("not an ID: 0");
        assertThat(run("db", "--pd-endpoints=127.0.0.1:1")).isEqualTo(2);
        assertThat(errors()).contains("--pd-endpoints requires --storage tikv");
    }

    @Test
    void anUnusableFileIsOneLineAndNoStore() throws Exception {
        Path store = directory.resolve("store");
        Path none = directory.resolve("none");
        assertThat(run(none.toString(), "--data-dir=" + store)).isEqualTo(1);
        assertThat(errors()).isEqualTo("cannot import: no such file or directory: " + none + "\n");
        Path text = Files.writeString(directory.resolve("text"), "text");
        assertThat(run(text.toString(), "--data-dir", store.toString())).isEqualTo(1);
        assertThat(errors()).startsWith("cannot import: no hash at its end").endsWith("member\n");
        assertThat(run(directory.toString(), "--data-dir=" + store)).isEqualTo(1);
        assertThat(errors().lines()).hasSize(1);
        assertThat(store).doesNotExist();
    }

    private int run(String... args) {
        err.reset();
        return new ImportCommand()
                .run(
                        List.of(args),
                        Map.of(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new CompletableFuture<>());
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
