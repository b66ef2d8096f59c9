package io.brain.conformance.members;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program that is started again and again with the same words. Its process never outlives this
 * one. Thread-safe.
 */
public final class Program implements AutoCloseable {

    private static final long END_SECONDS_MAX = 20;

    private final String name;
    private final List<String> words;
    private final Map<String, String> environment;
    private final Path log;
    private final Thread lastResort = new Thread(this::destroy, "stop-program");
    private Process process;
    private volatile int life;

    /**
     * @param words the program and its arguments
     * @param log where its output is appended
     */
    Program(String name, List<String> words, Map<String, String> environment, Path log) {
        this.name = name;
        this.words = List.copyOf(words);
        this.environment = Map.copyOf(environment);
        this.log = log;
        Runtime.getRuntime().addShutdownHook(lastResort);
    }

    /** Starts it and returns at once. */
    public synchronized void start() throws IOException {
        if (isAlive()) {
            throw new IllegalStateException(name + " runs");
        }
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
        process.getOutputStream().close();
        life++;
    }

    public String name() {
        return name;
    }

    /** Where its output goes. */
    public Path log() {
        return log;
    }

    /** How many times it was started. */
    public int life() {
        return life;
    }

    /** The id of the present process, or of the last one. */
    public synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    public synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** {@code kill -9}; returns when the process is gone. */
    public void kill() throws InterruptedException {
        Process target = current();
        target.destroyForcibly();
        target.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS);
    }

    /**
     * SIGTERM; returns when the process is gone, which takes {@code kill -9} if it does not end in
     * time.
     *
     * @return whether it ended by itself
     */
    public boolean terminate() throws InterruptedException {
        Process target = current();
        target.destroy();
        if (target.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            return true;
        }
        kill();
        return false;
    }

    /** SIGSTOP: the process stands still and keeps its connections. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
        if (!kill.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IOException("kill -" + signal + " does not end");
        }
    }

    private synchronized Process current() {
        return process;
    }

    private synchronized void destroy() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        destroy();
        try {
            if (process != null) {
                process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS);
            }
            Runtime.getRuntime().removeShutdownHook(lastResort);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException shuttingDown) {
            // The hook itself is doing the work.
        }
    }
}
