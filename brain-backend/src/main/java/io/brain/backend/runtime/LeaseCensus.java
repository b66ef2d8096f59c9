package io.brain.backend.runtime;

import java.util.List;

/**
 * The leases of a leader, at one moment.
 *
 * @param count how many there are
 * @param next the ones that end first unless they are renewed, in that order
 */
public record LeaseCensus(int count, List<Entry> next) {
    /** Copies the list. */
    public LeaseCensus {
        next = List.copyOf(next);
    }

    /**
     * A lease.
     *
     * @param ttl seconds it was granted for
     * @param remaining whole seconds left; 0 if it has run out and its end is not decided
     */
    public record Entry(long id, long ttl, long remaining) {}
}
