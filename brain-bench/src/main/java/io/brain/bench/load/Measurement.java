package io.brain.bench.load;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Result of one stretch: one load on one server.
 *
 * @param units successful operations, events or lists
 * @param seconds measured time
 * @param server usage of the server
 * @param client usage of this program, including its compiler and collector
 * @param more figures of this kind of load only, by name
 * @param series figures by second; empty if not recorded
 */
public record Measurement(
        long units,
        double seconds,
        Latency latency,
        Usage server,
        Usage client,
        Failures failures,
        Map<String, Double> more,
        List<Recorder.Second> series) {

    /**
     * Failed calls, including the warm-up.
     *
     * @param first null without failures
     */
    public record Failures(long count, String first) {}

    /**
     * Usage of a process.
     *
     * @param cpuMicros CPU time of the stretch
     * @param rssKib resident memory at its end
     * @param peakKib maximum resident memory of the process
     */
    public record Usage(long cpuMicros, long rssKib, long peakKib) {

        static Usage between(ProcessFigures before, ProcessFigures after) {
            return new Usage(
                    after.cpuMicros() - before.cpuMicros(), after.rssKib(), after.peakKib());
        }
    }

    /** Units per second. */
    public double rate() {
        return units / seconds;
    }

    /** CPU time of the server per unit, in microseconds. */
    public double serverMicros() {
        return units == 0 ? Double.NaN : (double) server.cpuMicros() / units;
    }

    /** CPU time of this program per unit, in microseconds. */
    public double clientMicros() {
        return units == 0 ? Double.NaN : (double) client.cpuMicros() / units;
    }

    /** A copy with more figures. */
    public Measurement with(Map<String, Double> figures) {
        Map<String, Double> all = new TreeMap<>(more);
        all.putAll(figures);
        return new Measurement(units, seconds, latency, server, client, failures, all, series);
    }
}
