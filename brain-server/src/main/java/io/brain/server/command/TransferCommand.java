package io.brain.server.command;

import io.brain.server.Storages;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.logging.Logging;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command that moves data: reads its command line, shows its progress, and prints one line when
 * it fails. Used for one run.
 */
abstract class TransferCommand {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int INVALID = 2;

    /** For calls that have begun when the process must stop. */
    private static final int CALL_SECONDS = 1;

    private final String verb;
    private final String help;
    private final CommandSpec spec = CommandSpec.create();
    private PrintStream out;
    private PrintStream err;
    private TransferProgress progress;
    private CompletableFuture<Void> stop;
    private boolean endsCalls;

    /**
     * Creates a command.
     *
     * @param verb what it does, for "cannot ..."
     * @param help text of --help
     */
    TransferCommand(String verb, String help) {
        this.verb = verb;
        this.help = help;
    }

    /** Receives options and parameters; they have their values in {@link #run}. */
    final CommandSpec spec() {
        return spec;
    }

    /** Prints results. */
    final PrintStream out() {
        progress.clear();
        return out;
    }

    /** Prints a warning. */
    final void warn(String text) {
        progress.clear();
        err.println("warning: " + text);
    }

    /** Opens the new store that a command fills, and says which directory a default chose. */
    final KvStorage openNew(CommandLineReader.Tool flags) throws ServerException {
        if (flags.note() != null) {
            warn(flags.note());
        }
        return Storages.openForLoading(flags.storage(), flags.keyspace());
    }

    /** Shows progress; throws a CancellationException if the process must stop. */
    final StepListener listener() {
        return (step, done, total) -> {
            if (stop.isDone()) {
                throw new CancellationException("stopped");
            }
            progress.progress(step, done, total);
        };
    }

    /** Shows a text as the progress, not too often. */
    final void show(String text) {
        progress.show(text);
    }

    /**
     * A client whose calls fail when the process must stop, instead of waiting for servers; not at
     * once, so that the results of those that change something are known.
     */
    final ClusterClient untilStop(ClusterClient client) {
        endsCalls = true;
        Executor later = CompletableFuture.delayedExecutor(CALL_SECONDS, TimeUnit.SECONDS);
        var unused = stop.thenRunAsync(client::close, later);
        return client;
    }

    /**
     * For a command that waits for servers: its thread is interrupted when the process must stop.
     */
    final void interruptAtStop() {
        Thread thread = Thread.currentThread();
        var unused = stop.thenRun(thread::interrupt);
    }

    /** True if the process must stop. */
    final boolean isStopped() {
        return stop.isDone();
    }

    /** The exit code if the command could not do its work. */
    int failed() {
        return FAILED;
    }

    /**
     * Does the work.
     *
     * @param flags the server's flags that locate a store
     * @return the exit code
     * @throws ConfigException if an option is missing or contradicts another
     */
    abstract int run(CommandLineReader.Tool flags)
            throws IOException, ServerException, GeneralSecurityException;

    /**
     * Runs the command; returns the exit code.
     *
     * @param args after the command's name
     * @param stopRequest completes when the process must stop
     */
    final int run(
            List<String> args,
            Map<String, String> environment,
            PrintStream results,
            PrintStream errors,
            CompletableFuture<Void> stopRequest) {
        out = results;
        err = errors;
        stop = stopRequest;
        progress = new TransferProgress(errors, TransferProgress.isTerminal(), System::nanoTime);
        try {
            CommandLineReader.Tool flags = CommandLineReader.readTool(spec, args, environment);
            if (flags == null) {
                out.print(help);
                return DONE;
            }
            Logging.configure(flags.log());
            return run(flags);
        } catch (ConfigException wrong) {
            err.println(wrong.getMessage());
            return INVALID;
        } catch (IOException failure) {
            fail((endsCalls && stop.isDone() ? "stopped: " : "") + text(failure));
        } catch (ServerException
                | StorageException
                | GeneralSecurityException
                | CancellationException failure) {
            fail(failure.getMessage());
        } catch (RuntimeException | Error unexpected) {
            StackTraceElement[] stack = unexpected.getStackTrace();
            fail(
                    "unexpected error: %s%s"
                            .formatted(unexpected, stack.length == 0 ? "" : " at " + stack[0]));
        }
        return failed();
    }

    private void fail(String text) {
        progress.clear();
        err.println("cannot " + verb + ": " + text);
    }

    private static String text(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory: " + failure.getMessage();
        }
        if (failure instanceof AccessDeniedException) {
            return "access denied: " + failure.getMessage();
        }
        return failure instanceof FileSystemException file && file.getReason() == null
                ? "cannot open " + file.getFile()
                : failure.getMessage();
    }
}
