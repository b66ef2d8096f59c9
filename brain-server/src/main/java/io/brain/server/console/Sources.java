package io.brain.server.console;

import io.brain.backend.Backend;
import io.brain.backend.Insight;
import io.brain.backend.NodeStats;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.server.metrics.BackendMetrics;
import io.brain.server.metrics.Distribution;
import java.util.function.Supplier;

/**
 * What facts are made of.
 *
 * @param backend asked for what clients can ask, too
 * @param stats what the node is doing
 * @param insight what it can tell besides
 * @param stages what happened so far
 * @param readTimes nanoseconds that reads took so far
 * @param runtime its clock, timer and background threads
 */
public record Sources(
        Backend backend,
        Supplier<NodeStats> stats,
        Insight insight,
        BackendMetrics stages,
        Supplier<Distribution> readTimes,
        BackendRuntime runtime) {}
