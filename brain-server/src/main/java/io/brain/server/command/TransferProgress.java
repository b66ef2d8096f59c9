package io.brain.server.command;

import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Prints the progress of each step with its rate and the time left: on a terminal in one line that
 * changes, otherwise as a line from time to time. Used by one thread.
 */
final class TransferProgress implements StepListener {
    private static final Path STDERR = Path.of("/proc/self/fd/2");
    private static final long TERMINAL_INTERVAL_NANOS = 100_000_000L;
    private static final long FILE_INTERVAL_NANOS = 10_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MB = 1e6;
    private static final long MINUTE_SECONDS = 60;

    private final PrintStream out;
    private final boolean terminal;
    private final LongSupplier nanos;
    private String step = "";
    private long startedAt;
    private long startedWith;
    private long shownAt;
    private int shownLength;

    /**
     * Creates an empty line.
     *
     * @param terminal true if the output can be overwritten
     * @param nanos a monotonic clock
     */
    TransferProgress(PrintStream out, boolean terminal, LongSupplier nanos) {
        this.out = out;
        this.terminal = terminal;
        this.nanos = nanos;
    }

    /** True if stderr is a terminal; false if that is unknown. */
    static boolean isTerminal() {
        try {
            String device = Files.readSymbolicLink(STDERR).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    @Override
    public void progress(String name, long done, long total) {
        long now = nanos.getAsLong();
        if (!name.equals(step)) {
            step = name;
            startedAt = now;
            startedWith = done;
            shownAt = now;
            if (total == 0) {
                print(name);
            }
            return;
        }
        if (now - shownAt < interval()) {
            return;
        }
        shownAt = now;
        print(text(done, Math.max(done, total), now));
    }

    /** Shows a text instead of a step, if it is time for one. */
    void show(String text) {
        long now = nanos.getAsLong();
        if (step.isEmpty() && now - shownAt < interval()) {
            return;
        }
        step = "";
        shownAt = now;
        print(text);
    }

    private long interval() {
        return terminal ? TERMINAL_INTERVAL_NANOS : FILE_INTERVAL_NANOS;
    }

    private void print(String text) {
        if (terminal) {
            out.print("\r" + text + " ".repeat(Math.max(0, shownLength - text.length())));
            out.flush();
            shownLength = text.length();
        } else {
            out.println(text);
        }
    }

    private String text(long done, long total, long now) {
        double rate = (done - startedWith) / ((now - startedAt) / NANOS_PER_SECOND);
        long percent = total == 0 ? 100 : Math.round(100.0 * done / total);
        String text = "%-6s %3d %%, %.1f MB/s".formatted(step, percent, rate / BYTES_PER_MB);
        return rate > 0 ? text + ", " + left(Math.round((total - done) / rate)) + " left" : text;
    }

    private static String left(long seconds) {
        return seconds < MINUTE_SECONDS
                ? seconds + " s"
                : "%d min %d s".formatted(seconds / MINUTE_SECONDS, seconds % MINUTE_SECONDS);
    }

    /** Clears the line of a terminal. */
    void clear() {
        if (shownLength > 0) {
            out.print("\r" + " ".repeat(shownLength) + "\r");
            out.flush();
            shownLength = 0;
        }
    }
}
