package io.brain.bench.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used, as Linux tells it.
 *
 * @param cpuMicros user and system time of all its threads since it began; in steps of 10 000
 * @param rssKib memory that is resident now
 * @param peakKib the most that ever was
 */
public record ProcessFigures(long cpuMicros, long rssKib, long peakKib) {

    /** Linux's unit in /proc, whatever its own clock does. */
    private static final long MICROS_PER_TICK = 10_000;

    private static final int USER_TICKS = 11; // counted from the state, which follows the name
    private static final int SYSTEM_TICKS = 12;

    /**
     * Looks at a process.
     *
     * @throws IOException if there is none of this id
     */
    public static ProcessFigures of(long pid) throws IOException {
        Path folder = Path.of("/proc", Long.toString(pid));
        return parse(
                Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1),
                Files.readString(folder.resolve("status"), StandardCharsets.ISO_8859_1));
    }

    /**
     * Reads the two files' text.
     *
     * @throws IOException if they are not as Linux writes them
     */
    static ProcessFigures parse(String stat, String status) throws IOException {
        int end = stat.lastIndexOf(") "); // a name may hold blanks and brackets
        String[] fields = end < 0 ? new String[0] : stat.substring(end + 2).trim().split(" ", -1);
        if (fields.length <= SYSTEM_TICKS) {
            throw new IOException("not a stat file: " + stat);
        }
        long ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
        return new ProcessFigures(
                ticks * MICROS_PER_TICK, kib(status, "VmRSS:"), kib(status, "VmHWM:"));
    }

    private static long kib(String status, String name) throws IOException {
        for (String line : status.split("\n", -1)) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.substring(name.length()).replace("kB", "").trim());
            }
        }
        throw new IOException("no " + name + " in a status file");
    }
}
