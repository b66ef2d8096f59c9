package io.brain.server.command;

import io.brain.admin.check.CheckReport;
import io.brain.admin.check.StoreCheck;
import io.brain.server.Storages;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.logging.Logging;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code brain check}: reads the store of a stopped server, and prints a line for each damage and a
 * summary.
 */
final class CheckCommand {
    static final String NAME = "check";

    private static final String HELP =
            """
            Usage: brain check --data-dir DIR [flags]

            Reads the whole store of a stopped server, and prints a line for each damage and a
            summary. Changes only the file LOCK, which must be writable. Accepts the server's
            flags, variables and file (brain --help); only those that locate the store have an
            effect.

            Exit codes
              0   nothing is damaged
              1   something is damaged
              2   not checked: the store is in use, unavailable or missing, or a flag is invalid
            """;

    private static final int SOUND = 0;
    private static final int DAMAGED = 1;
    private static final int NOT_CHECKED = 2;

    private final PrintStream out;
    private final TransferProgress progress;
    private final int refusedCode;

    private CheckCommand(PrintStream out, TransferProgress progress, int refusedCode) {
        this.out = out;
        this.progress = progress;
        this.refusedCode = refusedCode;
    }

    /** Runs the check; returns the exit code. Errors go to stderr. */
    static int run(List<String> args, Map<String, String> environment, PrintStream out) {
        return new CheckCommand(out, null, NOT_CHECKED).run(args, environment);
    }

    /** Runs {@code brain ctl check}: with its exit codes, and progress on a terminal. */
    static int runForCtl(List<String> args, Map<String, String> environment, PrintStream out) {
        TransferProgress terminal =
                TransferProgress.isTerminal()
                        ? new TransferProgress(System.err, true, System::nanoTime)
                        : null;
        return new CheckCommand(out, terminal, DAMAGED).run(args, environment);
    }

    private int run(List<String> args, Map<String, String> environment) {
        try {
            CommandLineReader.Tool tool =
                    CommandLineReader.readTool(CommandSpec.create(), args, environment);
            if (tool == null) {
                out.print(HELP);
                return SOUND;
            }
            Logging.configure(tool.log());
            return check(tool);
        } catch (ConfigException wrong) {
            System.err.println(wrong.getMessage());
            if (wrong.isUsage()) {
                System.err.print(CommandLineReader.usage());
                return NOT_CHECKED;
            }
        } catch (ServerException | StorageException refused) {
            System.err.println("cannot check: " + refused.getMessage());
        }
        return refusedCode;
    }

    private int check(CommandLineReader.Tool tool) throws ServerException {
        try (KvStorage storage = Storages.openReadOnly(tool.storage(), tool.keyspace())) {
            CheckReport report =
                    new StoreCheck(storage, tool.keyspace(), this::print, this::showProgress).run();
            print(report);
            return report.damages() == 0 ? SOUND : DAMAGED;
        } catch (StorageException damaged) {
            if (damaged.kind() != StorageException.Kind.CORRUPT) {
                throw damaged;
            }
            print(damaged.getMessage());
            return DAMAGED;
        }
    }

    private void showProgress(String step, double done) {
        if (progress != null) {
            progress.show("%-8s %3d %%".formatted(step, Math.round(100 * done)));
        }
    }

    private void print(Object line) {
        if (progress != null) {
            progress.clear();
        }
        out.println(line);
    }
}
