package io.brain.server.ctl;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** One line of a terminal that says how far something is; written over and over. */
public final class ProgressBar {
    private static final int WIDTH = 30;
    private static final long PAUSE = 100_000_000;
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private final PrintStream terminal;
    private final LongSupplier nanos;
    private long shownAt;
    private String shown = "";

    /**
     * A bar that shows nothing yet.
     *
     * @param nanos the time, which only goes on
     */
    public ProgressBar(PrintStream terminal, LongSupplier nanos) {
        this.terminal = terminal;
        this.nanos = nanos;
        this.shownAt = nanos.getAsLong() - PAUSE;
    }

    /** True if stderr is a terminal; false where the system does not tell. */
    public static boolean isTerminal() {
        try {
            String device = Files.readSymbolicLink(STDERR).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException untold) {
            return false;
        }
    }

    /** Shows that a part of something, from 0 to 1, is done; not more than ten times a second. */
    public void show(String what, double part) {
        long now = nanos.getAsLong();
        if (part < 1 && now - shownAt < PAUSE) {
            return;
        }
        shownAt = now;
        int full = (int) Math.round(part * WIDTH);
        String line =
                "%-8s [%s%s] %3d %%"
                        .formatted(
                                what,
                                "#".repeat(full),
                                ".".repeat(WIDTH - full),
                                Math.round(part * 100));
        terminal.print("\r" + line);
        terminal.flush();
        shown = line;
    }

    /** Takes the line away. */
    public void clear() {
        terminal.print("\r" + " ".repeat(shown.length()) + "\r");
        terminal.flush();
        shown = "";
    }
}
