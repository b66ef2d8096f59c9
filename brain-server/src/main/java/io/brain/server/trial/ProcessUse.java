package io.brain.server.trial;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/**
 * What a server has used, as its page /metrics says.
 *
 * @param cpuSeconds since its start
 * @param memoryBytes now
 */
record ProcessUse(double cpuSeconds, double memoryBytes) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String CPU = "process_cpu_seconds_total ";
    private static final String MEMORY = "process_resident_memory_bytes ";

    /** Reads the page; empty if there is none. */
    static Optional<ProcessUse> read(HttpClient client, URI server) throws InterruptedException {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(server.resolve("/metrics")).timeout(TIMEOUT).build();
            String page = client.send(request, BodyHandlers.ofString()).body();
            return Optional.of(new ProcessUse(value(page, CPU), value(page, MEMORY)));
        } catch (IOException | IllegalArgumentException unknown) { // also a host with _
            return Optional.empty();
        }
    }

    private static double value(String page, String name) {
        return page.lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .map(line -> Double.parseDouble(line.substring(name.length())))
                .orElseThrow(() -> new NumberFormatException(name));
    }

    /** What was used since an earlier reading. */
    String since(ProcessUse before) {
        return "%.1f s of CPU, %.0f MiB"
                .formatted(cpuSeconds - before.cpuSeconds, memoryBytes / (1 << 20));
    }
}
