package io.brain.bench.load;

/**
 * When operations are due. Closed: a client begins its next one when the last has ended. At a fixed
 * rate: operation i is due at the start plus i intervals, whether or not the server keeps up; one
 * that must wait for a free client has waited since then, which is what corrects for coordinated
 * omission.
 *
 * @param perSecond 0 for the closed loop
 */
public record Pace(double perSecond) {

    private static final double NANOS = 1e9;

    /** As fast as the server answers. */
    public static final Pace CLOSED = new Pace(0);

    /** Refuses a negative rate. */
    public Pace {
        if (perSecond < 0) {
            throw new IllegalArgumentException("negative rate " + perSecond);
        }
    }

    /** True if there is no rate to keep. */
    public boolean isClosed() {
        return perSecond == 0;
    }

    /** When operation {@code index} is due, in nanoseconds after the start. */
    public long dueNanos(long index) {
        return (long) (index * (NANOS / perSecond));
    }
}
