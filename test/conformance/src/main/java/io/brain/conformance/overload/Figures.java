package io.brain.conformance.overload;

import java.util.Map;

/**
 * What one round of one scenario showed of one server.
 *
 * @param peakMib the most resident memory since the scenario's load began
 * @param seconds until the load was over
 * @param refused calls that ended without success, by how
 */
record Figures(
        long peakMib, double seconds, Latency puts, Latency gets, Map<String, Integer> refused) {}
