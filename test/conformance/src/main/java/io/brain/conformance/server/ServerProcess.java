package io.brain.conformance.server;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One run of a server, from its start until it is killed or closed. Starting it again in the same
 * home is another run. Not thread-safe, except for the accessors.
 */
public final class ServerProcess implements AutoCloseable {

    /** Generous: the first start may build the server, and the machine may be busy. */
    private static final Duration READY_MAX = Duration.ofMinutes(5);

    private static final Duration STOP_MAX = Duration.ofSeconds(60);
    private static final String READY = "ready to serve client requests";
    private static final int LOG_TAIL_BYTES = 4_096;

    private final ServerHome home;
    private final Process process;
    private final long logStart;
    private final Thread lastResort;

    private ServerProcess(ServerHome home, Process process, long logStart) {
        this.home = home;
        this.process = process;
        this.logStart = logStart;
        // When the test's own machine is stopped from outside, no server may stay behind.
        this.lastResort = new Thread(this::destroyTree);
        Runtime.getRuntime().addShutdownHook(lastResort);
    }

    /** Starts the server and waits until it says that it serves. */
    public static ServerProcess start(ServerCommand command, ServerHome home)
            throws IOException, InterruptedException {
        ServerProcess server = launch(command, home);
        try {
            server.awaitReady();
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.kill();
            throw e;
        }
        return server;
    }

    /** Starts the server and returns at once. */
    public static ServerProcess launch(ServerCommand command, ServerHome home) throws IOException {
        return launchAsGiven(command.withFirstFlags(home.flags()), home);
    }

    /** The same with the command's own flags alone: of the home, only the log is used. */
    public static ServerProcess launchAsGiven(ServerCommand command, ServerHome home)
            throws IOException {
        List<String> words = new ArrayList<>(command.words());
        words.addAll(command.flags());
        Path log = home.log();
        long logStart = Files.exists(log) ? Files.size(log) : 0;
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(command.environment());
        return new ServerProcess(home, builder.start(), logStart);
    }

    /** Waits until this run has logged that it serves. */
    public void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY_MAX.toNanos();
        while (!log().contains(READY)) {
            if (!process.isAlive()) {
                throw new IOException("the server ended with " + process.exitValue() + lastWords());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("the server is not ready after " + READY_MAX + lastWords());
            }
            Thread.sleep(20);
        }
    }

    public ServerHome home() {
        return home;
    }

    /** The server's own process id, also when it runs under a tracer. */
    public long pid() {
        return process.children().findFirst().map(ProcessHandle::pid).orElse(process.pid());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** {@code kill -9}, and waits until the process is gone. */
    public void kill() {
        destroyTree();
        process.onExit().join();
        forget();
    }

    /** Waits for the server to end by itself and returns its exit code. */
    public int awaitExit(Duration max) throws IOException, InterruptedException {
        if (!process.waitFor(max.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("the server still runs after " + max + lastWords());
        }
        forget();
        return process.exitValue();
    }

    /** What this run has logged so far. */
    public String log() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(home.log().toFile(), "r")) {
            byte[] bytes = new byte[(int) (file.length() - logStart)];
            file.seek(logStart);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** SIGTERM, and {@code kill -9} for a server that does not end by itself. */
    @Override
    public void close() {
        if (!stop()) {
            kill();
        }
    }

    /** SIGTERM; false for a server that does not end by itself. */
    public boolean stop() {
        List<ProcessHandle> children = process.children().toList();
        if (children.isEmpty()) {
            process.destroy();
        } else {
            children.forEach(ProcessHandle::destroy);
        }
        process.onExit()
                .completeOnTimeout(process, STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        if (process.isAlive()) {
            return false;
        }
        forget();
        return true;
    }

    private void destroyTree() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(lastResort);
        } catch (IllegalStateException alreadyShuttingDown) {
            // The hook itself is doing the work.
        }
    }

    /** The end of the log, as the end of a message. */
    public String lastWords() {
        try {
            String text = log();
            String tail = text.substring(Math.max(0, text.length() - LOG_TAIL_BYTES));
            return "; " + home.log() + " ends with:\n" + tail;
        } catch (IOException e) {
            return "; its log cannot be read: " + e.getMessage();
        }
    }
}
