package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;

/**
 * The load of the watch hub, for metrics.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param unsynced unsynced watchers
 * @param eventsSent events passed to transports since the start, once per watcher
 * @param responsesSent responses with events
 * @param noticesSent progress notifications before compactions
 * @param ring recent events in memory
 * @param unsent bytes that clients have not read
 */
public record WatchStats(
        int streams,
        int watchers,
        int unsynced,
        long eventsSent,
        long responsesSent,
        long noticesSent,
        EventRing.Stats ring,
        Unsent unsent) {
    /**
     * Bytes of events that clients have not read.
     *
     * @param bytes bytes of large responses that transports hold
     * @param bytesMax bytes at which large responses wait
     * @param waiting streams that wait for room
     * @param dropped streams that ended because their clients did not read while others waited
     */
    public record Unsent(long bytes, long bytesMax, int waiting, long dropped) {}

    /** The same with other statistics of the ring. */
    WatchStats with(EventRing.Stats newer) {
        return new WatchStats(
                streams, watchers, unsynced, eventsSent, responsesSent, noticesSent, newer, unsent);
    }
}
