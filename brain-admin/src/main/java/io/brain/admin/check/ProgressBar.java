package io.brain.admin.check;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** A progress bar on one line of a terminal. */
public final class ProgressBar {
    private static final int WIDTH = 30;
    private static final long INTERVAL_NANOS = 100_000_000;
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private final PrintStream terminal;
    private final LongSupplier nanos;
    private long shownAt;
    private String shown = "";

    /**
     * Creates an empty bar.
     *
     * @param nanos a monotonic clock
     */
    public ProgressBar(PrintStream terminal, LongSupplier nanos) {
        this.terminal = terminal;
        this.nanos = nanos;
        this.shownAt = nanos.getAsLong() - INTERVAL_NANOS;
    }

    /** True if stderr is a terminal; false if that is unknown. */
    public static boolean isTerminal() {
        try {
            String device = Files.readSymbolicLink(STDERR).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /** Shows the progress of a step, from 0 to 1; at most ten times a second. */
    public void show(String step, double progress) {
        long now = nanos.getAsLong();
        if (progress < 1 && now - shownAt < INTERVAL_NANOS) {
            return;
        }
        shownAt = now;
        int full = (int) Math.round(progress * WIDTH);
        String line =
                "%-8s [%s%s] %3d %%"
                        .formatted(
                                step,
                                "#".repeat(full),
                                ".".repeat(WIDTH - full),
                                Math.round(progress * 100));
        terminal.print("\r" + line);
        terminal.flush();
        shown = line;
    }

    /** Clears the line. */
    public void clear() {
        terminal.print("\r" + " ".repeat(shown.length()) + "\r");
        terminal.flush();
        shown = "";
    }
}
