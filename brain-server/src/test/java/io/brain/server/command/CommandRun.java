package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs a command that moves data, as the process does. */
final class CommandRun {
    private CommandRun() {}

    /**
     * Runs it; returns its exit code.
     *
     * @param args the command's name first
     * @param work directory for temporary files
     * @param stop completes when the process must stop
     */
    static int run(
            List<String> args,
            Path work,
            OutputStream out,
            OutputStream errors,
            CompletableFuture<Void> stop) {
        List<String> all = new ArrayList<>(args);
        TransferCommand command =
                switch (all.remove(0)) {
                    case "backup" -> new BackupCommand();
                    case "restore" -> new RestoreCommand();
                    case "import" -> new ImportCommand();
                    case "export" -> new ExportCommand();
                    default -> new VerifyCommand();
                };
        if (!(command instanceof ExportCommand)) {
            all.add("--work-dir=" + work);
        }
        return command.run(
                all,
                Map.of(),
                new PrintStream(out, true, UTF_8),
                new PrintStream(errors, true, UTF_8),
                stop);
    }
}
