package io.brain.conformance.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel says about a process's resident memory.
 *
 * @param residentBytes now (VmRSS)
 * @param peakBytes the highest since the process began (VmHWM)
 */
public record ProcessMemory(long residentBytes, long peakBytes) {

    /** Reads {@code /proc/PID/status}. */
    public static ProcessMemory of(long pid) throws IOException {
        String status = Files.readString(Path.of("/proc", Long.toString(pid), "status"));
        return new ProcessMemory(
                kibibytes(status, "VmRSS:") << 10, kibibytes(status, "VmHWM:") << 10);
    }

    private static long kibibytes(String status, String field) {
        return status.lines()
                .filter(line -> line.startsWith(field))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + field + " in:\n" + status));
    }
}
