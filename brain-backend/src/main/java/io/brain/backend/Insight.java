package io.brain.backend;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.LeaseCensus;
import io.brain.backend.traffic.PrefixRate;
import io.brain.backend.traffic.WriteTraffic;
import io.brain.backend.watch.WatchCensus;
import io.brain.backend.watch.WatchHub;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lists for operators, beyond metrics; each takes a limited amount of work and memory. Thread-safe;
 * no call blocks.
 */
public final class Insight {
    private static final int ENTRIES_MAX = 100;

    private final WatchHub hub;
    private final Elector elector;
    private final WriteTraffic traffic;
    private final BackendRuntime runtime;

    Insight(WatchHub hub, Elector elector, WriteTraffic traffic, BackendRuntime runtime) {
        this.hub = hub;
        this.elector = elector;
        this.traffic = traffic;
        this.runtime = runtime;
    }

    /** The watchers of this node. */
    public CompletableFuture<WatchCensus> watchers() {
        return hub.census(ENTRIES_MAX);
    }

    /** The leases; empty if this node does not lead. */
    public CompletableFuture<Optional<LeaseCensus>> leases() {
        LeaderTerm term = elector.term();
        return term == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.supplyAsync(
                        () -> Optional.of(term.leaseCensus(ENTRIES_MAX)), runtime.background());
    }

    /** The prefixes with the most changes, in descending order. */
    public List<PrefixRate> writes() {
        return traffic.fastest(ENTRIES_MAX);
    }
}
