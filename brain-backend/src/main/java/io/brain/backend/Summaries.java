package io.brain.backend;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.traffic.WriteTraffic;
import io.brain.backend.traffic.WriteTraffic.PrefixRate;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatcherSummary;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Summaries for operators, beyond metrics; each takes limited work and memory. Thread-safe; does
 * not block.
 */
public final class Summaries {
    private static final int ENTRIES_MAX = 100;

    private final WatchHub hub;
    private final Elector elector;
    private final WriteTraffic traffic;
    private final BackendRuntime runtime;

    Summaries(WatchHub hub, Elector elector, WriteTraffic traffic, BackendRuntime runtime) {
        this.hub = hub;
        this.elector = elector;
        this.traffic = traffic;
        this.runtime = runtime;
    }

    /** The watchers of this node. */
    public CompletableFuture<WatcherSummary> watchers() {
        return hub.summary(ENTRIES_MAX);
    }

    /** The leases; empty if this node does not lead. */
    public CompletableFuture<Optional<LeaseSummary>> leases() {
        LeaderTerm term = elector.term();
        return term == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.supplyAsync(
                        () -> Optional.of(term.leaseSummary(ENTRIES_MAX)), runtime.background());
    }

    /** The prefixes with the most changes, in descending order. */
    public List<PrefixRate> writes() {
        return traffic.fastest(ENTRIES_MAX);
    }
}
