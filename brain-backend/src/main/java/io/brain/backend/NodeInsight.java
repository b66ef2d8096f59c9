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

/** Asks the parts of a node. */
final class NodeInsight implements Insight {
    /** Most entries of a list. */
    private static final int LISTED = 100;

    private final WatchHub hub;
    private final Elector elector;
    private final WriteTraffic traffic;
    private final BackendRuntime runtime;

    NodeInsight(WatchHub hub, Elector elector, WriteTraffic traffic, BackendRuntime runtime) {
        this.hub = hub;
        this.elector = elector;
        this.traffic = traffic;
        this.runtime = runtime;
    }

    @Override
    public CompletableFuture<WatchCensus> watchers() {
        return hub.census(LISTED);
    }

    @Override
    public CompletableFuture<Optional<LeaseCensus>> leases() {
        LeaderTerm term = elector.term();
        return term == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.supplyAsync(
                        () -> Optional.of(term.leaseCensus(LISTED)), runtime.background());
    }

    @Override
    public List<PrefixRate> writes() {
        return traffic.fastest(LISTED);
    }
}
