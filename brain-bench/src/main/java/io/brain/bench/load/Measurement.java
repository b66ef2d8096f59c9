package io.brain.bench.load;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one stretch of load on one server showed.
 *
 * @param units operations, events or lists that ended well
 * @param seconds how long was counted
 * @param server what the server used for them
 * @param client what this program used for them, its compiler and collector included
 * @param more figures that only this kind of load has, by name
 * @param series the stretch by second; empty if it was not asked for
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
     * Calls that did not end well, in the warm-up too.
     *
     * @param first null if there was none
     */
    public record Failures(long count, String first) {}

    /**
     * What a process used.
     *
     * @param cpuMicros in the stretch
     * @param rssKib at its end
     * @param peakKib the most that ever was
     */
    public record Usage(long cpuMicros, long rssKib, long peakKib) {

        static Usage between(ProcessFigures before, ProcessFigures after) {
            return new Usage(
                    after.cpuMicros() - before.cpuMicros(), after.rssKib(), after.peakKib());
        }
    }

    /** Per second. */
    public double rate() {
        return units / seconds;
    }

    /** The server's CPU time for each unit, in microseconds. */
    public double serverMicros() {
        return units == 0 ? Double.NaN : (double) server.cpuMicros() / units;
    }

    /** This program's. */
    public double clientMicros() {
        return units == 0 ? Double.NaN : (double) client.cpuMicros() / units;
    }

    /** The same with more figures. */
    public Measurement with(Map<String, Double> figures) {
        Map<String, Double> all = new TreeMap<>(more);
        all.putAll(figures);
        return new Measurement(units, seconds, latency, server, client, failures, all, series);
    }
}
