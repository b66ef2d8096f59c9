package io.brain.backend.cluster.election;

import io.brain.backend.auth.PublishedAuth;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.lease.LeaseSettings;
import io.brain.backend.read.FairReaders;
import io.brain.backend.read.TxnReader;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Pins;
import io.brain.backend.store.Store;
import io.brain.backend.write.WriteSettings;

/**
 * What all terms of a node share.
 *
 * @param auth the state of authentication that this node knows
 * @param listener receives the commits of all terms
 * @param readers threads for reads of leases
 * @param reader reads the deferred ranges of transactions
 * @param pins revisions that transactions still read
 */
public record TermContext(
        Store store,
        PublishedAuth auth,
        CommitListener listener,
        FairReaders readers,
        TxnReader reader,
        Pins pins,
        BackendRuntime runtime,
        TermSettings settings) {
    /** Limits of the components of a term. */
    public record TermSettings(WriteSettings write, LeaseSettings lease, CompactSettings compact) {
        /** The defaults of a server. */
        public static final TermSettings DEFAULTS =
                new TermSettings(
                        WriteSettings.DEFAULTS, LeaseSettings.DEFAULTS, CompactSettings.DEFAULTS);

        /** A copy with other limits of the write path. */
        public TermSettings withWrite(WriteSettings other) {
            return new TermSettings(other, lease, compact);
        }

        /** A copy with other limits of leases. */
        public TermSettings withLease(LeaseSettings other) {
            return new TermSettings(write, other, compact);
        }

        /** A copy with another pace of compaction. */
        public TermSettings withCompact(CompactSettings other) {
            return new TermSettings(write, lease, other);
        }
    }
}
