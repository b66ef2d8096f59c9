package io.brain.backend.watch;

import java.time.Duration;

/**
 * Bounds of watches.
 *
 * @param ringBytesMax bytes of the event ring
 * @param catchUpReadersMax concurrent reads of the commit log
 * @param catchUpBytesMax bytes of events after which a response to an unsynced watcher is full; one
 *     revision may be larger
 * @param unsentBytesMax bytes of events, over all streams, that transports may hold for clients
 *     that have not read them; one response may exceed it
 * @param watchersMax watchers of the node; each KiB of its keys counts as one more; a stream that
 *     requests more is ended
 * @param progressInterval time between a stream's progress notifications, at least {@link
 *     #PROGRESS_INTERVAL_MIN}; up to a tenth is added at random
 */
public record WatchSettings(
        long ringBytesMax,
        int catchUpReadersMax,
        long catchUpBytesMax,
        long unsentBytesMax,
        int watchersMax,
        Duration progressInterval) {
    /** Full responses to unsynced watchers for which the unsent bytes have room. */
    private static final int RESPONSES = 32;

    /** The shortest progress interval, as in etcd. */
    public static final Duration PROGRESS_INTERVAL_MIN = Duration.ofMillis(100);

    /** Defaults of a server. */
    public static final WatchSettings DEFAULT =
            new WatchSettings(64 << 20, 2, 4 << 20, 256 << 20, 200_000, Duration.ofMinutes(10));

    /** Checks that every bound is positive. */
    public WatchSettings {
        if (ringBytesMax <= 0
                || catchUpReadersMax <= 0
                || catchUpBytesMax <= 0
                || unsentBytesMax <= 0
                || watchersMax <= 0) {
            throw new IllegalArgumentException("watch limits must be positive");
        }
        if (progressInterval.compareTo(PROGRESS_INTERVAL_MIN) < 0) {
            progressInterval = PROGRESS_INTERVAL_MIN;
        }
    }

    /**
     * The same for a small heap: at most so many bytes of the ring, as many unsent ones, and so
     * many watchers. A response to an unsynced watcher gets a part of the unsent bytes, 1 to 4 MiB.
     */
    public WatchSettings within(long bytesMax, long watchers) {
        long unsent = Math.min(unsentBytesMax, bytesMax);
        return new WatchSettings(
                Math.min(ringBytesMax, bytesMax),
                catchUpReadersMax,
                Math.max(1 << 20, Math.min(4 << 20, unsent / RESPONSES)),
                unsent,
                (int) Math.min(watchersMax, watchers),
                progressInterval);
    }

    /** The same with another size of the ring. */
    public WatchSettings withRing(long bytesMax) {
        return new WatchSettings(
                bytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                watchersMax,
                progressInterval);
    }

    /** The same with another progress interval. */
    public WatchSettings withProgress(Duration interval) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                watchersMax,
                interval);
    }
}
