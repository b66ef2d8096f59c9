package io.brain.backend.watch;

import java.time.Duration;

/**
 * Limits of watches.
 *
 * @param ringBytesMax limit of bytes of recent events in memory
 * @param catchUpReadersMax limit of concurrent reads of the commit log for watchers
 * @param catchUpBytesMax bytes of events after which a response to an unsynced watcher ends; one
 *     revision may be larger
 * @param unsentBytesMax limit of bytes of events, over all streams, that transports hold for
 *     clients that have not read them; one response may exceed it
 * @param watchersMax limit of watchers of the node, where each KiB of keys counts as another
 *     watcher; a stream that requests more ends
 * @param progressInterval time between a stream's progress notifications, at least {@link
 *     #PROGRESS_INTERVAL_MIN}; up to a tenth is added at random
 * @param progressBeforeCompaction whether watchers that asked for progress notifications also get
 *     one before each compaction
 * @param resumeRevisions revisions below the compact revision from which a watcher may start, if
 *     nothing that it needs was removed; 0: none
 */
public record WatchSettings(
        long ringBytesMax,
        int catchUpReadersMax,
        long catchUpBytesMax,
        long unsentBytesMax,
        int watchersMax,
        Duration progressInterval,
        boolean progressBeforeCompaction,
        long resumeRevisions) {
    /** Responses to unsynced watchers that fit into the limit of unsent bytes. */
    private static final int RESPONSES = 32;

    /** The shortest progress interval, as in etcd. */
    public static final Duration PROGRESS_INTERVAL_MIN = Duration.ofMillis(100);

    public static final WatchSettings DEFAULT =
            new WatchSettings(
                    64 << 20, 2, 4 << 20, 256 << 20, 200_000, Duration.ofMinutes(10), true, 0);

    /** The settings with another limit of the ring. */
    public WatchSettings withRing(long bytesMax) {
        return new WatchSettings(
                bytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                watchersMax,
                progressInterval,
                progressBeforeCompaction,
                resumeRevisions);
    }

    /**
     * The settings with another limit of unsent bytes, and with a part of it, from 1 to 4 MiB, as
     * the limit of a response to an unsynced watcher.
     */
    public WatchSettings withUnsent(long bytesMax) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                Math.max(1 << 20, Math.min(4 << 20, bytesMax / RESPONSES)),
                bytesMax,
                watchersMax,
                progressInterval,
                progressBeforeCompaction,
                resumeRevisions);
    }

    /** The settings with another limit of watchers. */
    public WatchSettings withWatchersMax(int max) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                max,
                progressInterval,
                progressBeforeCompaction,
                resumeRevisions);
    }

    /** The settings with other progress notifications. */
    public WatchSettings withProgress(Duration interval, boolean beforeCompaction) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                watchersMax,
                interval,
                beforeCompaction,
                resumeRevisions);
    }

    /** The settings with another number of revisions for watchers below the compact revision. */
    public WatchSettings withResume(long revisions) {
        return new WatchSettings(
                ringBytesMax,
                catchUpReadersMax,
                catchUpBytesMax,
                unsentBytesMax,
                watchersMax,
                progressInterval,
                progressBeforeCompaction,
                revisions);
    }

    /** Checks that the limits are positive. */
    public WatchSettings {
        if (ringBytesMax <= 0
                || catchUpReadersMax <= 0
                || catchUpBytesMax <= 0
                || unsentBytesMax <= 0
                || watchersMax <= 0
                || resumeRevisions < 0) {
            throw new IllegalArgumentException("watch limits must be positive");
        }
        if (progressInterval.compareTo(PROGRESS_INTERVAL_MIN) < 0) {
            progressInterval = PROGRESS_INTERVAL_MIN;
        }
    }
}
