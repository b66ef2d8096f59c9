package io.brain.server.metrics;

import io.brain.server.logging.Logging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Process metrics: of its log, and of the operating system under the names of Prometheus clients.
 */
public final class ProcessMetrics implements MetricsSource {
    private static final Path SELF = Path.of("/proc/self");

    /** Clock ticks in /proc; the same on every Linux that Java supports. */
    private static final double TICKS_PER_SECOND = 100;

    private static final double KIB = 1024;

    /** 2^64, as Prometheus clients expose a missing limit. */
    private static final double UNLIMITED = 0x1p64;

    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;

    @Override
    public void writeTo(MetricsText text) {
        text.gauge(
                        "process_start_time_seconds",
                        "Start time of the process since the Unix epoch in seconds.")
                .value(ManagementFactory.getRuntimeMXBean().getStartTime() / 1000.0);
        text.counter("brain_log_dropped_total", "Log lines dropped because nobody read them.")
                .value(Logging.dropped());
        if (Files.isDirectory(SELF)) {
            try {
                linux(text);
            } catch (IOException vanished) {
                throw new UncheckedIOException(vanished);
            }
        }
    }

    private static void linux(MetricsText text) throws IOException {
        String stat = Files.readString(SELF.resolve("stat"));
        // The name in parentheses may contain any character; numbers follow.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        double ticks = Double.parseDouble(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
        text.counter("process_cpu_seconds_total", "User and system CPU time spent.")
                .value(ticks / TICKS_PER_SECOND);
        List<String> status = Files.readAllLines(SELF.resolve("status"));
        text.gauge("process_resident_memory_bytes", "Resident memory.")
                .value(number(status, "VmRSS:", 1) * KIB);
        text.gauge("process_virtual_memory_bytes", "Virtual memory.")
                .value(number(status, "VmSize:", 1) * KIB);
        List<String> limits = Files.readAllLines(SELF.resolve("limits"));
        text.gauge("process_virtual_memory_max_bytes", "Limit of virtual memory.")
                .value(number(limits, "Max address space", 3));
        network(text, Files.readAllLines(SELF.resolve("net/netstat")));
        double open = openFiles();
        double limit = number(limits, "Max open files", 3);
        text.gauge("process_open_fds", "Open file descriptors.").value(open);
        text.gauge("process_max_fds", "Limit of open file descriptors.").value(limit);
        text.gauge("os_fd_used", "The number of used file descriptors.").value(open);
        text.gauge("os_fd_limit", "The file descriptor limit.").value(limit);
    }

    /** Lines come in pairs: names, then values. */
    private static void network(MetricsText text, List<String> lines) {
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            List<String> names = List.of(lines.get(i).split(" ", -1));
            String[] numbers = lines.get(i + 1).split(" ", -1);
            if (names.get(0).equals("IpExt:")) {
                text.counter(
                                "process_network_receive_bytes_total",
                                "Bytes received by the process's network namespace.")
                        .value(Double.parseDouble(numbers[names.indexOf("InOctets")]));
                text.counter(
                                "process_network_transmit_bytes_total",
                                "Bytes sent by the process's network namespace.")
                        .value(Double.parseDouble(numbers[names.indexOf("OutOctets")]));
            }
        }
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(SELF.resolve("fd"))) {
            return files.count();
        }
    }

    private static double number(List<String> lines, String name, int word) {
        for (String line : lines) {
            if (line.startsWith(name)) {
                String text = line.split("\\s+", -1)[word];
                return text.equals("unlimited") ? UNLIMITED : Double.parseDouble(text);
            }
        }
        return 0;
    }
}
