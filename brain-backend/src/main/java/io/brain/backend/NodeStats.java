package io.brain.backend;

import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.read.ReadStats;
import io.brain.backend.read.Reads;
import io.brain.backend.runtime.CompactStats;
import io.brain.backend.runtime.WriteStats;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatchStats;

/**
 * What a node is doing now, for metrics; what happened so far a {@link
 * io.brain.backend.runtime.BackendListener} is told.
 *
 * @param leases how many there are; 0 while this node does not lead
 */
public record NodeStats(
        WriteStats write, ReadStats read, WatchStats watch, CompactStats compact, int leases) {
    /**
     * Asks the parts of a node.
     *
     * @param term null if it does not lead
     */
    static NodeStats of(LeaderTerm term, Reads reads, WatchHub hub) {
        return new NodeStats(
                term == null ? WriteStats.NONE : term.writeStats(),
                reads.stats(),
                hub.stats(),
                term == null ? CompactStats.NONE : term.compactStats(),
                term == null ? 0 : term.leaseCensus(0).count());
    }
}
