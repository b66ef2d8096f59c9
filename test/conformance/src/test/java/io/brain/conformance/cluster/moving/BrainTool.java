package io.brain.conformance.cluster.moving;

import io.brain.conformance.cluster.ServerCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command of the program {@code brain} that ends by itself. */
final class BrainTool {
    private static final long MINUTES_MAX = 10;
    private static final int HEAP_MEBIBYTES = 256;

    private final ServerCommand command;
    private final Path output;

    /** Runs commands with a small heap; {@code output} is overwritten by each. */
    BrainTool(Path output) {
        this.command = ServerCommand.underTest().withHeap(HEAP_MEBIBYTES);
        this.output = output;
    }

    /** What a command printed, to stdout and stderr. */
    record Result(int exitCode, String text) {}

    Result run(List<String> arguments) throws IOException, InterruptedException {
        Process process = start(arguments);
        if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException(arguments + " does not end");
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        return new Result(process.exitValue(), text);
    }

    /** Runs a command and kills it after some time; fails if it had ended with an error before. */
    void runAndKill(List<String> arguments, long millis) throws IOException, InterruptedException {
        Process process = start(arguments);
        boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
        if (ended && process.exitValue() != 0) {
            throw new IOException(Files.readString(output, StandardCharsets.UTF_8));
        }
    }

    private Process start(List<String> arguments) throws IOException {
        List<String> words = new ArrayList<>(command.words());
        words.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(command.environment());
        return builder.start();
    }
}
