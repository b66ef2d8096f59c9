package io.brain.admin.console;

/**
 * A snapshot of a histogram.
 *
 * @param limits upper bounds of the buckets, ascending; the last bucket has none
 * @param counts number of values per bucket
 * @param sum sum of all values
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Distribution(long[] limits, long[] counts, long sum) {
    /** Number of values. */
    public long count() {
        long count = 0;
        for (long inBucket : counts) {
            count += inBucket;
        }
        return count;
    }

    /** Mean of the values; 0 if there are none. */
    public double mean() {
        long count = count();
        return count == 0 ? 0 : (double) sum / count;
    }

    /** Values recorded after {@code before}, an earlier snapshot of the same histogram. */
    public Distribution since(Distribution before) {
        long[] recent = new long[counts.length];
        for (int i = 0; i < recent.length; i++) {
            recent[i] = counts[i] - before.counts[i];
        }
        return new Distribution(limits, recent, sum - before.sum);
    }

    /**
     * The quantile, interpolated linearly in its bucket; 0 without values, the last limit if it is
     * in the last bucket.
     *
     * @param fraction from 0 to 1
     */
    public double quantile(double fraction) {
        double rank = fraction * count();
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
