package io.brain.backend.watch;

import io.brain.backend.cache.RingStats;

/**
 * What the hub is doing, for metrics.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param lagging watchers that have not caught up with the committed revision
 * @param eventsSent events handed to transports since the start, counted once per watcher
 * @param responsesSent responses they came in
 * @param ring recent events in memory
 * @param unsent bytes that clients have not read
 */
public record WatchStats(
        int streams,
        int watchers,
        int lagging,
        long eventsSent,
        long responsesSent,
        RingStats ring,
        SendStats unsent) {
    /** The same, with newer figures of the ring. */
    WatchStats with(RingStats newer) {
        return new WatchStats(streams, watchers, lagging, eventsSent, responsesSent, newer, unsent);
    }
}
