package io.brain.backend;

import io.brain.backend.runtime.LeaseCensus;
import io.brain.backend.traffic.PrefixRate;
import io.brain.backend.watch.WatchCensus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What people who look on want to know of a node, beyond figures: made when it is asked for, in a
 * bound of work and memory. Thread-safe; no call blocks.
 */
public interface Insight {
    /** Who watches what at this node. */
    CompletableFuture<WatchCensus> watchers();

    /** The leases; empty if this node does not lead. */
    CompletableFuture<Optional<LeaseCensus>> leases();

    /** The prefixes whose keys change fastest, the fastest first. */
    List<PrefixRate> writes();
}
