package io.brain.server.metrics;

/**
 * Values by size.
 *
 * @param limits of the buckets, in the values' unit: upwards, the last bucket has none
 * @param counts values per bucket
 * @param sum of all values
 */
@SuppressWarnings("ArrayRecordComponent") // made to be read once; never compared
public record Distribution(long[] limits, long[] counts, long sum) {
    /** How many values there are. */
    public long count() {
        long count = 0;
        for (long inBucket : counts) {
            count += inBucket;
        }
        return count;
    }

    /** Their mean; 0 if there are none. */
    public double mean() {
        long count = count();
        return count == 0 ? 0 : (double) sum / count;
    }

    /** What came since {@code before}, an earlier state of the same values. */
    public Distribution since(Distribution before) {
        long[] more = new long[counts.length];
        for (int i = 0; i < more.length; i++) {
            more[i] = counts[i] - before.counts[i];
        }
        return new Distribution(limits, more, sum - before.sum);
    }

    /**
     * The value that a part of all do not exceed, as if values were spread evenly in their bucket;
     * 0 if there are none; the last limit if it is greater.
     *
     * @param part from 0 to 1
     */
    public double quantile(double part) {
        double rank = part * count();
        double below = 0;
        for (int i = 0; i < limits.length; i++) {
            if (counts[i] > 0 && below + counts[i] >= rank) {
                double from = i == 0 ? 0 : limits[i - 1];
                return from + (limits[i] - from) * (rank - below) / counts[i];
            }
            below += counts[i];
        }
        return below == count() ? 0 : limits[limits.length - 1];
    }
}
