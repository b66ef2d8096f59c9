package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.watch.CommitLogReader.Found;
import io.brain.backend.watch.CommitLogReader.Want;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds unsynced watchers from the commit log. Log reader threads read for groups of watchers with
 * close next revisions; the hub's thread sends what was read at once, or drops it. Used by the
 * hub's thread.
 */
final class LogFeed {
    private static final Logger LOG = LoggerFactory.getLogger(LogFeed.class);

    private static final int GROUP_MAX = 512;
    private static final long GROUP_REVISIONS = 10_000;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final CommitLogReader reader;
    private final EventRing ring;
    private final Watchers watchers;
    private final BackendRuntime runtime;
    private final Executor hub;
    private final int readersMax;

    /** Number of reads in flight. */
    private int reading;

    /** True after a read failed because the engine is unavailable; logged once. */
    private boolean unavailable;

    /**
     * A feed.
     *
     * @param hub runs commands on the hub's thread
     * @param readersMax limit of concurrent reads
     */
    LogFeed(
            CommitLogReader reader,
            EventRing ring,
            Watchers watchers,
            BackendRuntime runtime,
            Executor hub,
            int readersMax) {
        this.reader = reader;
        this.ring = ring;
        this.watchers = watchers;
        this.runtime = runtime;
        this.hub = hub;
        this.readersMax = readersMax;
    }

    /**
     * Starts as many reads as may run.
     *
     * @param point the newest state to read
     * @param floor the compact revision
     */
    void run(ReadPoint point, long floor) {
        while (reading < readersMax && !watchers.logQueue().isEmpty()) {
            List<Watcher> group = new ArrayList<>();
            for (Watcher watcher : watchers.logQueue().poll(GROUP_MAX, GROUP_REVISIONS)) {
                if (watchers.isCompacted(watcher.next, floor)) {
                    watchers.cancelCompacted(watcher, floor);
                } else if (watcher.stream.isReady()) {
                    watchers.move(watcher, Watcher.State.READING);
                    group.add(watcher);
                } else {
                    watchers.feedFromRing(watcher, watcher.next);
                }
            }
            if (!group.isEmpty()) {
                start(group, point);
            }
        }
    }

    private void start(List<Watcher> group, ReadPoint point) {
        List<Want> wants = new ArrayList<>(group.size());
        for (Watcher watcher : group) {
            wants.add(new Want(watcher.request, watcher.next, lastWanted(watcher, point)));
        }
        try {
            runtime.logReaders().execute(() -> read(group, wants, point));
            reading++;
        } catch (RejectedExecutionException full) {
            retryLater(group);
        }
    }

    /** Runs on a log reader thread. */
    private void read(List<Watcher> group, List<Want> wants, ReadPoint point) {
        try {
            CommitLogReader.Result result = reader.read(wants, point);
            hub.execute(() -> send(group, wants, result));
        } catch (RuntimeException | Error e) {
            hub.execute(() -> failed(group, e));
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    /** A watcher that was synced, and needs one revision that the ring lacks, gets only that. */
    private long lastWanted(Watcher watcher, ReadPoint point) {
        boolean ringContinues = ring.get(watcher.next + 1) != null;
        return !watcher.replaying && ringContinues ? watcher.next : point.revision();
    }

    private void send(List<Watcher> group, List<Want> wants, CommitLogReader.Result result) {
        reading--;
        unavailable = false;
        Set<OpenStream> served = new HashSet<>();
        for (int i = 0; i < group.size(); i++) {
            Watcher watcher = group.get(i);
            if (watcher.state != Watcher.State.READING) {
                continue;
            }
            Want want = wants.get(i);
            Found found = result.found().get(i);
            watcher.alone = false;
            if (found.compacted()) {
                watchers.cancelCompacted(watcher, result.floor());
            } else if (found.events().isEmpty() || send(watcher, want, found, served)) {
                watchers.feedFromRing(watcher, found.next());
            } else {
                watchers.feedFromRing(watcher, watcher.next);
            }
        }
    }

    /**
     * Sends what was read for a watcher. Each stream, ready when the read began, gets one response
     * even if it is full now; otherwise the watchers of a busy stream might be read for in vain
     * again and again.
     */
    private static boolean send(Watcher watcher, Want want, Found found, Set<OpenStream> served) {
        OpenStream stream = watcher.stream;
        if (stream.isReady() || !served.contains(stream)) {
            served.add(stream);
            return stream.sendAnyway(watcher, want.to(), found.events());
        }
        return false;
    }

    private void failed(List<Watcher> group, Throwable cause) {
        reading--;
        StorageException.Kind kind =
                cause instanceof StorageException storage ? storage.kind() : null;
        if (kind == StorageException.Kind.UNAVAILABLE || kind == StorageException.Kind.CLOSED) {
            if (!unavailable) {
                LOG.warn("commit log unavailable retry={} error={}", RETRY, cause.toString());
                unavailable = true;
            }
            retryLater(group);
            return;
        }
        if (group.size() > 1) {
            // Only the watchers that need what cannot be read fail.
            group.forEach(watcher -> watcher.alone = true);
            retry(group);
            return;
        }
        LOG.error("commit log read failed; the watch stream that needs it ends", cause);
        boolean corrupt = kind == StorageException.Kind.CORRUPT;
        ErrorKind shown = corrupt ? ErrorKind.CORRUPT : ErrorKind.WATCH_INTERRUPTED;
        for (Watcher watcher : group) {
            if (watcher.state == Watcher.State.READING) {
                watchers.fail(watcher.stream, new BackendException(shown, cause));
            }
        }
    }

    private void retryLater(List<Watcher> group) {
        runtime.scheduler().schedule(RETRY, hub, () -> retry(group));
    }

    private void retry(List<Watcher> group) {
        for (Watcher watcher : group) {
            if (watcher.state == Watcher.State.READING) {
                watchers.feedFromRing(watcher, watcher.next);
            }
        }
    }
}
