package io.brain.conformance.cluster.startlines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.server.ServerCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** etcd does not know the locale: units and containers set none, or POSIX. */
@Tag("peer")
class LocaleTest {
    private static final String LONG_UNIT = "--warning-unary-request-duration=1µs";

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"LANG,''", "LC_ALL,POSIX", "LC_ALL,C.UTF-8"})
    void textIsUtf8InEveryLocale(String variable, String value) throws Exception {
        ServerCommand command = ServerCommand.underTest().shortLived();
        assumeFalse(command.isEtcd(), "etcd prints no settings");
        Path output = directory.resolve("output");
        List<String> words = new ArrayList<>(command.words());
        words.addAll(List.of("--config-print", "--name=größe", LONG_UNIT));
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
        environment.putAll(command.environment());
        environment.put(variable, value);
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readAllLines(output))
                .anyMatch(line -> line.startsWith("name: \"größe\""))
                .anyMatch(line -> line.startsWith("warning-unary-request-duration: \"1µs\""));
        assertThat(process.exitValue()).isZero();
    }
}
