package io.brain.bench.shape;

import java.util.List;

/**
 * Sizes of the loads.
 *
 * @param clients numbers of clients of loads on single objects
 * @param watchers numbers of watchers of one prefix
 * @param lists numbers of keys in a list
 * @param pages numbers of keys in a page
 * @param versions numbers of versions of each listed key
 * @param special parameters of loads with one size
 */
public record Sizes(
        List<Integer> clients,
        List<Integer> watchers,
        List<Integer> lists,
        List<Integer> pages,
        List<Integer> versions,
        Special special) {

    /**
     * Parameters of loads with one size.
     *
     * @param objects number of objects of 1 KiB
     * @param listClients clients of lists and counts
     * @param readShare share of reads in the mixed load, from 0 to 1
     * @param eventsPerSecond events for all watchers together
     * @param compaction parameters of compaction under load
     */
    public record Special(
            int objects,
            int listClients,
            double readShare,
            int eventsPerSecond,
            Compaction compaction) {}

    /**
     * Parameters of compaction under load.
     *
     * @param history number of revisions to compact
     * @param perSecond writes per second
     */
    public record Compaction(int history, int perSecond) {}
}
