package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds unsynced watchers from the commit log: a few reads at a time on other threads, each for a
 * group of watchers whose next revisions are close. What was read is sent or dropped at once, never
 * kept. Belongs to the hub's thread.
 */
final class LogFeed {
    private static final Logger LOG = LoggerFactory.getLogger(LogFeed.class);

    private static final int GROUP_MAX = 512;
    private static final long GROUP_REVISIONS = 10_000;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final CommitLogReader reader;
    private final int readersMax;
    private final EventRing ring;
    private final Revisions revisions;
    private final WatcherGroups groups;
    private final EventSender sender;
    private final BackendRuntime runtime;
    private final Executor commands;
    private int reading;
    private boolean unavailable;

    /**
     * A feed.
     *
     * @param readersMax reads at a time
     * @param commands the hub's thread
     */
    LogFeed(
            CommitLogReader reader,
            int readersMax,
            EventRing ring,
            Revisions revisions,
            WatcherGroups groups,
            EventSender sender,
            BackendRuntime runtime,
            Executor commands) {
        this.reader = reader;
        this.readersMax = readersMax;
        this.ring = ring;
        this.revisions = revisions;
        this.groups = groups;
        this.sender = sender;
        this.runtime = runtime;
        this.commands = commands;
    }

    /** Starts as many reads as may run. */
    void run() {
        while (reading < readersMax && !groups.logQueue().isEmpty()) {
            ReadPoint point = revisions.committed();
            long floor = revisions.floor();
            Map<Watcher, CatchUpBatch> batches = new LinkedHashMap<>();
            for (Watcher watcher : groups.logQueue().poll(GROUP_MAX, GROUP_REVISIONS)) {
                if (watcher.next < floor) {
                    groups.compact(watcher, floor);
                } else if (sender.isReady(watcher.output)) {
                    groups.read(watcher);
                    batches.put(watcher, batch(watcher, point));
                } else {
                    groups.unsync(watcher, watcher.next);
                }
            }
            if (!batches.isEmpty()) {
                start(batches, point);
            }
        }
    }

    /** A batch of one revision if a watcher that was synced misses only that one in the ring. */
    private CatchUpBatch batch(Watcher watcher, ReadPoint point) {
        boolean ringContinues = ring.get(watcher.next + 1) != null;
        long to = !watcher.replaying && ringContinues ? watcher.next : point.revision();
        return new CatchUpBatch(watcher.request, watcher.next, to, CatchUpBatch.REVISIONS_MAX);
    }

    private void start(Map<Watcher, CatchUpBatch> batches, ReadPoint point) {
        try {
            runtime.logReaders().execute(() -> read(batches, point));
            reading++;
        } catch (RejectedExecutionException full) {
            retryLater(batches.keySet());
        }
    }

    /** On a thread of the log readers. */
    private void read(Map<Watcher, CatchUpBatch> batches, ReadPoint point) {
        try {
            long floor = reader.read(batches.values(), point);
            commands.execute(() -> send(batches, floor));
        } catch (RuntimeException | Error e) {
            commands.execute(() -> fail(batches.keySet(), e));
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    private void send(Map<Watcher, CatchUpBatch> batches, long floor) {
        reading--;
        unavailable = false;
        Set<StreamOutput> served = new HashSet<>();
        batches.forEach(
                (watcher, batch) -> {
                    if (watcher.state == Watcher.State.READING) {
                        watcher.alone = false;
                        if (watcher.next < floor) {
                            groups.compact(watcher, floor);
                        } else {
                            boolean sent = send(watcher, batch, served);
                            groups.unsync(watcher, sent ? batch.next() : watcher.next);
                        }
                    }
                });
    }

    /**
     * Sends what was read. Each stream was ready when the read began, and gets one response even if
     * others have filled it since: else a busy stream could be read for in vain forever.
     */
    private boolean send(Watcher watcher, CatchUpBatch batch, Set<StreamOutput> served) {
        if (batch.events().isEmpty()) {
            return true;
        }
        boolean ready = sender.isReady(watcher.output);
        boolean first = served.add(watcher.output);
        return (ready || first) && sender.sendNow(watcher, batch.to, batch.events());
    }

    private void fail(Collection<Watcher> group, Throwable cause) {
        reading--;
        StorageException.Kind kind =
                cause instanceof StorageException storage ? storage.kind() : null;
        if (kind == StorageException.Kind.UNAVAILABLE || kind == StorageException.Kind.CLOSED) {
            if (!unavailable) {
                LOG.warn("commit log unavailable, retrying: cause={}", cause.getMessage());
                unavailable = true;
            }
            retryLater(group);
        } else if (group.size() > 1) {
            // Only those fail that need what cannot be read.
            group.forEach(watcher -> watcher.alone = true);
            retry(group);
        } else {
            LOG.error("commit log read failed, watch stream ended", cause);
            boolean corrupt = kind == StorageException.Kind.CORRUPT;
            ErrorKind shown = corrupt ? ErrorKind.CORRUPT : ErrorKind.WATCH_INTERRUPTED;
            for (Watcher watcher : group) {
                if (watcher.state == Watcher.State.READING) {
                    watcher.output.fail(new BackendException(shown, cause));
                }
            }
        }
    }

    private void retryLater(Collection<Watcher> group) {
        runtime.scheduler().schedule(RETRY, commands, () -> retry(group));
    }

    private void retry(Collection<Watcher> group) {
        for (Watcher watcher : group) {
            if (watcher.state == Watcher.State.READING) {
                groups.unsync(watcher, watcher.next);
            }
        }
    }
}
