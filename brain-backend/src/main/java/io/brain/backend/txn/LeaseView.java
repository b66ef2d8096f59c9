package io.brain.backend.txn;

/** What a put must know of leases; asked on the sequencer thread only. */
@FunctionalInterface
public interface LeaseView {
    /** True if the lease was granted and is not revoked, as far as the tip knows. */
    boolean exists(long lease);
}
