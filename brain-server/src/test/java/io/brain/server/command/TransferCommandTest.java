package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.server.config.CommandLineReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TransferCommandTest {
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @Test
    void anUnexpectedExceptionIsOneLine() {
        assertThat(run(new IllegalStateException("not ready"))).isEqualTo(7);
        assertThat(errors.toString(UTF_8))
                .startsWith("cannot test: unexpected error: java.lang.IllegalStateException: ")
                .contains("not ready at io.brain.server.command.TransferCommandTest.")
                .hasLineCount(1);
    }

    @Test
    void anUnexpectedErrorIsOneLine() {
        assertThat(run(new OutOfMemoryError("Java heap space"))).isEqualTo(7);
        assertThat(errors.toString(UTF_8)).contains("Java heap space").hasLineCount(1);
    }

    private int run(Throwable failure) {
        TransferCommand command =
                new TransferCommand("test", "") {
                    @Override
                    int failed() {
                        return 7;
                    }

                    @Override
                    int run(CommandLineReader.Tool flags) {
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    }
                };
        return command.run(
                List.of(),
                Map.of(),
                new PrintStream(errors, true, UTF_8),
                new PrintStream(errors, true, UTF_8),
                new CompletableFuture<>());
    }
}
