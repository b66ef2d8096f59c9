package io.brain.server.console;

import io.brain.backend.Backend;
import io.brain.backend.Insight;
import io.brain.backend.NodeStats;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.server.metrics.BackendMetrics;
import io.brain.server.metrics.Distribution;
import java.util.function.Supplier;

/**
 * Sources of the admin endpoints.
 *
 * @param backend answers reads and reports the status
 * @param stats counters of the node
 * @param insight watchers, leases and write traffic of the node
 * @param stages times of the write stages, and recent compactions
 * @param readTimes durations of all reads in nanoseconds
 * @param runtime clock, timer and background threads
 */
public record Diagnostics(
        Backend backend,
        Supplier<NodeStats> stats,
        Insight insight,
        BackendMetrics stages,
        Supplier<Distribution> readTimes,
        BackendRuntime runtime) {}
