package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server cannot be started with. */
@Tag("peer")
class BadStartTest {
    private static final int SECONDS_MAX = 120;

    @TempDir private Path directory;

    @Test
    void aMistypedFlagIsRefusedWithTheNearestName() throws Exception {
        Outcome outcome = start("--data-dri=x");
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.lines().get(0))
                .isEqualTo("flag provided but not defined: -data-dri; did you mean --data-dir?");
    }

    @Test
    void aMistypedKeyOfAFileIsRefusedWithTheNearestName() throws Exception {
        Path file = Files.writeString(directory.resolve("c.yaml"), "nmae: x\n");
        requireOneLine("unknown key nmae; did you mean name?", "--config-file=" + file);
    }

    @Test
    void aFileThatIsNotThereIsNamed() throws Exception {
        requireOneLine("nowhere.crt: no such file", secure("nowhere.crt", "nowhere.key"));
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "127.0.0.1:" + taken.getLocalPort();
            requireOneLine(port + ": Address already in use", at("http://" + port));
        }
    }

    @Test
    void aDirectoryOfEtcdsIsRefused() throws Exception {
        Files.createDirectories(directory.resolve("data/member"));
        requireOneLine("contains etcd data", at("http://127.0.0.1:0"));
    }

    @Test
    void aDirectoryOfAnotherVersionIsRefused() throws Exception {
        Path data = Files.createDirectories(directory.resolve("data"));
        Files.writeString(data.resolve("FORMAT"), "brain-rocksdb 9\n");
        requireOneLine("has the format \"brain-rocksdb 9\"", at("http://127.0.0.1:0"));
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsNamed() throws Exception {
        Files.writeString(directory.resolve("data"), "a file");
        requireOneLine(directory.resolve("data") + " is not a dir", at("http://127.0.0.1:0"));
        String below = "--data-dir=" + directory.resolve("data/below");
        requireOneLine("cannot write in " + directory.resolve("data/below"), below);
    }

    private String[] at(String url) {
        return new String[] {
            "--data-dir=" + directory.resolve("data"),
            "--listen-client-urls=" + url,
            "--advertise-client-urls=" + url
        };
    }

    private String[] secure(String certificate, String key) {
        List<String> flags = new ArrayList<>(List.of(at("https://127.0.0.1:0")));
        flags.add("--cert-file=" + directory.resolve(certificate));
        flags.add("--key-file=" + directory.resolve(key));
        return flags.toArray(String[]::new);
    }

    private void requireOneLine(String text, String... flags) throws Exception {
        Outcome outcome = start(flags);
        assertThat(outcome.exitCode()).isEqualTo(1);
        List<String> wrong =
                outcome.lines().stream().filter(line -> !line.contains("\"info\"")).toList();
        assertThat(wrong).hasSize(1);
        assertThat(wrong.get(0).replace("\\\"", "\"")).contains(text).doesNotContain("\\tat ");
    }

    private Outcome start(String... flags) throws IOException, InterruptedException {
        ServerCommand command = ServerCommand.underTest().shortLived();
        assumeFalse(command.isEtcd(), "etcd tells it otherwise");
        List<String> words = new ArrayList<>(command.words());
        words.addAll(List.of(flags));
        Path output = directory.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(command.environment());
        Process process = builder.start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("it does not end: " + Files.readString(output));
        }
        return new Outcome(process.exitValue(), Files.readAllLines(output));
    }

    private record Outcome(int exitCode, List<String> lines) {}
}
