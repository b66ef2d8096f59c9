package io.brain.conformance.overload;

import java.util.Map;

/**
 * What one round of one scenario showed of one server.
 *
 * @param peakMib the most resident memory since the scenario's load began
 * @param seconds until the load was over
 * @param refused calls that ended without success, by how
 */
record Figures(long peakMib, double seconds, Healthy healthy, Map<String, Integer> refused) {

    /**
     * How long a healthy client waited meanwhile.
     *
     * @param keepAlives of its lease
     * @param healths of {@code /health} and {@code /readyz}
     */
    record Healthy(Latency puts, Latency gets, Latency keepAlives, Latency healths) {}
}
