package io.brain.backend;

import io.brain.backend.read.ReadStats;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.watch.WatchStats;

/**
 * The current load of a node, for metrics. Events are reported to the {@link
 * io.brain.backend.runtime.BackendListener}.
 *
 * @param leases number of leases; 0 while this node does not lead
 */
public record NodeStats(
        WriteStats write, ReadStats read, WatchStats watch, CompactStats compact, int leases) {}
