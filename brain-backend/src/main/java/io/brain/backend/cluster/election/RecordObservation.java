package io.brain.backend.cluster.election;

import io.brain.backend.runtime.Clock;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.Objects;

/**
 * What was seen of one record, and for how long it has not changed. Only time in which the store
 * answers counts: while it is away the record's holder cannot store it again either. Belongs to one
 * thread.
 */
final class RecordObservation {
    private final Clock clock;
    private Bytes stored;
    private long since;
    private int reads;
    private int changes;
    private boolean missed;

    /** Of a record that was not read yet. */
    RecordObservation(Clock clock) {
        this.clock = clock;
        since = clock.nanos();
    }

    /**
     * The record was read.
     *
     * @param now null: there is none
     * @param began when the read began, in the clock's nanoseconds
     * @return true if it changed since it was read last
     */
    boolean saw(Bytes now, long began) {
        boolean changed = !Objects.equals(stored, now);
        if (changed && reads > 0) {
            changes++;
        }
        if (changed || missed) {
            since = clock.nanos();
        } else {
            since += clock.nanos() - began;
        }
        reads++;
        missed = false;
        stored = now;
        return changed;
    }

    /** The record could not be read. */
    void missed() {
        missed = true;
    }

    /** The record as it was read last; null if there was none. */
    Bytes stored() {
        return stored;
    }

    /** How many times it changed since it was read first. */
    int changes() {
        return changes;
    }

    /** How long it has been seen unchanged. */
    Duration unchanged() {
        return Duration.ofNanos(clock.nanos() - since);
    }
}
