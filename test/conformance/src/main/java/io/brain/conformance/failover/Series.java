package io.brain.conformance.failover;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The figures of all rounds of one disruption. For one thread. */
final class Series {

    private final Disruption disruption;
    private final List<Double> ofLeader = new ArrayList<>();
    private final List<Double> ofFollower = new ArrayList<>();
    private KubeStream.Noticed noticed = KubeStream.Noticed.NOTHING;
    private long failures;
    private int stuck;

    Series(Disruption disruption) {
        this.disruption = disruption;
    }

    Disruption disruption() {
        return disruption;
    }

    /**
     * Adds a round.
     *
     * @param leaderMillis how long the client of the old leader had no success
     * @param followerMillis the same for a client of another node
     * @param failed puts of both that failed
     * @param behind watchers that did not come to the end
     */
    void add(
            double leaderMillis,
            double followerMillis,
            long failed,
            KubeStream.Noticed watchers,
            int behind) {
        ofLeader.add(leaderMillis);
        ofFollower.add(followerMillis);
        failures += failed;
        noticed = noticed.plus(watchers);
        stuck += behind;
    }

    /** Watchers that had to list again, or were told something wrong, or nothing. */
    long troubles() {
        return noticed.relists() + noticed.gaps() + noticed.duplicates() + stuck;
    }

    static String head() {
        return """
        | the leader goes by | rounds | client of the leader: p50 ms | p99 | max \
        | client of a follower: p50 ms | p99 | max | failed puts | watch events | resumptions \
        | re-lists: compacted | gaps | duplicates | stuck |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        """;
    }

    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %s | %s | %d | %d | %d | %d | %d | %d | %d |%n",
                disruption.text(),
                ofLeader.size(),
                percentiles(ofLeader),
                percentiles(ofFollower),
                failures,
                noticed.events(),
                noticed.resumptions(),
                noticed.relists(),
                noticed.gaps(),
                noticed.duplicates(),
                stuck);
    }

    private static String percentiles(List<Double> millis) {
        return String.format(
                Locale.ROOT,
                "%.0f | %.0f | %.0f",
                percentile(millis, 50),
                percentile(millis, 99),
                percentile(millis, 100));
    }

    /** The smallest that this many in a hundred do not exceed. */
    static double percentile(List<Double> values, int percent) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }
}
