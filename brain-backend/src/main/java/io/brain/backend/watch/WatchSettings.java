package io.brain.backend.watch;

import java.time.Duration;

/**
 * Bounds and pace of watching.
 *
 * @param ringBytesMax most bytes of recent events in memory
 * @param catchUpReadersMax watchers' reads of the commit log at a time
 * @param catchUpBytesMax bytes of events after which a replay goes on in another response; one
 *     revision may be larger
 * @param unsentBytesMax bytes of events, over all streams, that transports may hold for clients
 *     that have not read them; one response may exceed it
 * @param watchersMax most watchers of the node; one with long keys counts as one more for each KiB
 *     of them; a stream that asks for more is ended
 * @param progressInterval time between a stream's progress notifications; raised to {@link
 *     #PROGRESS_INTERVAL_MIN}; up to a tenth is added at random
 */
public record WatchSettings(
        long ringBytesMax,
        int catchUpReadersMax,
        long catchUpBytesMax,
        long unsentBytesMax,
        int watchersMax,
        Duration progressInterval) {
    /** Responses of replays that the budget of unsent bytes has room for. */
    private static final int RESPONSES = 32;

    /** The shortest progress interval, as in etcd. */
    public static final Duration PROGRESS_INTERVAL_MIN = Duration.ofMillis(100);

    /** What a server uses unless told otherwise. */
    public static final WatchSettings DEFAULT =
            new WatchSettings(64 << 20, 2, 4 << 20, 256 << 20, 200_000, Duration.ofMinutes(10));

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

    /**
     * The same with another budget of unsent bytes; a response of a replay has a part of it, from 1
     * to 4 MiB.
     */
    public WatchSettings withUnsent(long bytesMax) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                Math.max(1 << 20, Math.min(4 << 20, bytesMax / RESPONSES)),
                bytesMax,
                watchersMax,
                progressInterval);
    }

    /** The same with at most so many watchers. */
    public WatchSettings withWatchersMax(int most) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                most,
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

    /** Checks that every bound lets something through. */
    public WatchSettings {
        if (ringBytesMax <= 0
                || catchUpReadersMax <= 0
                || catchUpBytesMax <= 0
                || unsentBytesMax <= 0
                || watchersMax <= 0) {
            throw new IllegalArgumentException("a bound of watching is not positive");
        }
        if (progressInterval.compareTo(PROGRESS_INTERVAL_MIN) < 0) {
            progressInterval = PROGRESS_INTERVAL_MIN;
        }
    }
}
