package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;

/**
 * Figures of the watch hub, for metrics.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param lagging unsynced watchers
 * @param eventsSent events sent since the start, once per watcher
 * @param responsesSent responses that carried them
 */
public record WatchStats(
        int streams,
        int watchers,
        int lagging,
        long eventsSent,
        long responsesSent,
        EventRing.Stats ring,
        Unsent unsent) {
    /**
     * Bytes of events that clients have not read.
     *
     * @param bytes of large responses that transports hold
     * @param bytesMax bytes at which no further large response is sent
     * @param waiting streams that wait for room
     * @param dropped clients disconnected because they did not read while others waited
     */
    public record Unsent(long bytes, long bytesMax, int waiting, long dropped) {}

    /** The same with newer figures of the ring. */
    WatchStats with(EventRing.Stats newer) {
        return new WatchStats(streams, watchers, lagging, eventsSent, responsesSent, newer, unsent);
    }
}
