package io.brain.backend;

import io.brain.backend.cluster.election.Elector;
import io.brain.backend.cluster.election.LeaderTerm;
import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.store.Store;
import io.brain.backend.traffic.WriteTraffic;
import io.brain.backend.traffic.WriteTraffic.PrefixRate;
import io.brain.backend.ttl.KeyTtl;
import io.brain.backend.watch.WatchHub;
import io.brain.backend.watch.WatcherSummary;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Summaries for operators, beyond metrics; each takes limited work and memory. Thread-safe; does
 * not block.
 */
public final class Summaries {
    private static final int ENTRIES_MAX = 100;

    private final WatchHub hub;
    private final Elector elector;
    private final WriteTraffic traffic;
    private final Store store;
    private final Supplier<TtlRules> ttlRules;
    private final BackendRuntime runtime;

    Summaries(
            WatchHub hub,
            Elector elector,
            WriteTraffic traffic,
            Store store,
            Supplier<TtlRules> ttlRules,
            BackendRuntime runtime) {
        this.hub = hub;
        this.elector = elector;
        this.traffic = traffic;
        this.store = store;
        this.ttlRules = ttlRules;
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

    /** The rules by which keys expire while this node leads. */
    public TtlRules ttlRules() {
        return ttlRules.get();
    }

    /** When a key expires, as this node knows it. */
    public CompletableFuture<KeyTtl> ttl(Bytes key) {
        long now = runtime.clock().unixMillis();
        return CompletableFuture.supplyAsync(
                () -> KeyTtl.read(store, key, ttlRules.get(), now), runtime.background());
    }

    /** The prefixes with the most changes, in descending order. */
    public List<PrefixRate> writes() {
        return traffic.fastest(ENTRIES_MAX);
    }
}
