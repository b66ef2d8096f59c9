package io.brain.bench.load;

/**
 * Due times of operations. Closed loop: a client starts its next operation when the last one has
 * completed. Fixed rate: operation i is due at the start plus i intervals, whether or not the
 * server keeps up; latency counts from the due time, which corrects for coordinated omission.
 *
 * @param perSecond 0 for the closed loop
 */
public record Pace(double perSecond) {

    private static final double NANOS = 1e9;

    /** Closed loop. */
    public static final Pace CLOSED = new Pace(0);

    /** Rejects a negative rate. */
    public Pace {
        if (perSecond < 0) {
            throw new IllegalArgumentException("negative rate " + perSecond);
        }
    }

    /** True for the closed loop. */
    public boolean isClosed() {
        return perSecond == 0;
    }

    /** Due time of operation {@code index}, in nanoseconds after the start. */
    public long dueNanos(long index) {
        return (long) (index * (NANOS / perSecond));
    }
}
