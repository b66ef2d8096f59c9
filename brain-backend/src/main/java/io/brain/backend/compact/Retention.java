package io.brain.backend.compact;

import java.time.Duration;

/**
 * Decides when history is compacted and up to where: looked at in turns of {@link #waits}, an
 * interval of time, and {@link #due}. One thread at a time.
 */
interface Retention {
    /** What {@link #due} answers if nothing is to be done. */
    long NOTHING = 0;

    /** Time between looks. */
    Duration interval();

    /** A wait begins, at {@code revision}. */
    void waits(long revision);

    /**
     * A wait is over: the revision to compact at, or {@link #NOTHING}.
     *
     * @param nanos monotonic time
     * @param revision the newest one
     */
    long due(long nanos, long revision);

    /** What was due is done. If it is not told, it comes due again. */
    void compacted(long floor, long nanos);
}
