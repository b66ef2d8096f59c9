package io.brain.backend.cluster.election;

import io.brain.backend.runtime.Clock;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.Objects;

/**
 * The last known state of a stored record, and for how long it has not changed. Only time in which
 * the store responds counts, because otherwise the record's owner cannot renew it either: of a read
 * that takes long, only its first moments. Belongs to one thread.
 */
final class RecordObservation {
    /** Maximum part of a read's time that counts. */
    private static final long RESPONSE_NANOS = Duration.ofMillis(50).toNanos();

    private final Clock clock;
    private Bytes stored;
    private long since;
    private int reads;
    private int changes;
    private boolean readFailed;

    RecordObservation(Clock clock) {
        this.clock = clock;
        since = clock.nanos();
    }

    /**
     * Adds a successful read.
     *
     * @param now null: no record
     * @param start of the read, in the clock's nanoseconds
     * @return true if the record changed since the last read
     */
    boolean onRead(Bytes now, long start) {
        boolean changed = !Objects.equals(stored, now);
        if (changed && reads > 0) {
            changes++;
        }
        if (changed || readFailed) {
            since = clock.nanos();
        } else {
            since += Math.max(0, clock.nanos() - start - RESPONSE_NANOS);
        }
        reads++;
        readFailed = false;
        stored = now;
        return changed;
    }

    /** Adds a failed read. */
    void onReadFailed() {
        readFailed = true;
    }

    /** The record at the last read; null if there was none. */
    Bytes stored() {
        return stored;
    }

    /** Number of changes since the first read. */
    int changes() {
        return changes;
    }

    /** Time for which the record has not changed. */
    Duration unchanged() {
        return Duration.ofNanos(clock.nanos() - since);
    }
}
