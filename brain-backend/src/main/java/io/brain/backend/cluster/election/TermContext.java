package io.brain.backend.cluster.election;

import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Pins;
import io.brain.backend.store.Store;

/**
 * What a term is built on, and what outlives it.
 *
 * @param listener told of commits, term after term
 * @param reader makes the reads that transactions put off
 * @param pins revisions that reads still need
 */
public record TermContext(
        Store store,
        CommitListener listener,
        TxnReader reader,
        Pins pins,
        BackendRuntime runtime,
        TermSettings settings) {
    /** The same with another listener. */
    TermContext withListener(CommitListener other) {
        return new TermContext(store, other, reader, pins, runtime, settings);
    }
}
