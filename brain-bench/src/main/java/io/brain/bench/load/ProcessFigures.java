package io.brain.bench.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resource usage of a process, from Linux.
 *
 * @param cpuMicros user and system time of all threads since its start; in steps of 10 000
 * @param rssKib resident memory
 * @param peakKib maximum resident memory so far
 */
public record ProcessFigures(long cpuMicros, long rssKib, long peakKib) {

    /** Unit of CPU times in /proc. */
    private static final long MICROS_PER_TICK = 10_000;

    private static final int USER_TICKS = 11; // fields after the name
    private static final int SYSTEM_TICKS = 12;

    /**
     * Reads the usage of a process.
     *
     * @throws IOException if it does not exist
     */
    public static ProcessFigures of(long pid) throws IOException {
        Path folder = Path.of("/proc", Long.toString(pid));
        return parse(
                Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1),
                Files.readString(folder.resolve("status"), StandardCharsets.ISO_8859_1));
    }

    /**
     * Parses the two files.
     *
     * @throws IOException if they are malformed
     */
    static ProcessFigures parse(String stat, String status) throws IOException {
        int end = stat.lastIndexOf(") "); // a name may contain spaces and parentheses
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
