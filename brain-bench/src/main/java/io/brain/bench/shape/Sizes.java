package io.brain.bench.shape;

import java.util.List;

/**
 * How large the loads are.
 *
 * @param clients of loads on single objects, each a size
 * @param watchers of one prefix, each a size
 * @param lists keys in a list, each a size
 * @param pages keys in a page, each a size
 * @param versions of each listed key, each a size
 * @param special numbers of the loads that have no sizes
 */
public record Sizes(
        List<Integer> clients,
        List<Integer> watchers,
        List<Integer> lists,
        List<Integer> pages,
        List<Integer> versions,
        Special special) {

    /**
     * Numbers of the loads that have no sizes.
     *
     * @param objects of 1 KiB that are listed in pages and counted
     * @param listClients of lists and counts
     * @param readShare of the mixed load, from 0 to 1
     * @param eventsPerSecond that all watchers together are sent
     * @param idleWatchers beside which others put
     * @param compaction of the history
     */
    public record Special(
            int objects,
            int listClients,
            double readShare,
            int eventsPerSecond,
            int idleWatchers,
            Compaction compaction) {}

    /**
     * Of the compaction under load.
     *
     * @param history revisions that are compacted
     * @param perSecond writes meanwhile
     */
    public record Compaction(int history, int perSecond) {}
}
