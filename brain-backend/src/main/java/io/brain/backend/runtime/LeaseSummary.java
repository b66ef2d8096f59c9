package io.brain.backend.runtime;

import java.util.List;

/**
 * Summary of a leader's leases.
 *
 * @param count number of leases
 * @param next leases that expire first, in order of expiry
 */
public record LeaseSummary(int count, List<Entry> next) {
    /** Copies the list. */
    public LeaseSummary {
        next = List.copyOf(next);
    }

    /**
     * A lease.
     *
     * @param ttl granted seconds
     * @param remaining whole seconds left; 0 if expired and not revoked yet
     */
    public record Entry(long id, long ttl, long remaining) {}
}
