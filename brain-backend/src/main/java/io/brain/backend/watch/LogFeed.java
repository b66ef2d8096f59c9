package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
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
 * Feeds watchers from the commit log: a few reads at a time on threads of their own, each for a
 * group of watchers that stand near each other. What was read is delivered or dropped at once,
 * never kept. Belongs to the hub's thread.
 */
final class LogFeed {
    private static final Logger LOG = LoggerFactory.getLogger(LogFeed.class);

    private static final int GROUP_MAX = 512;
    private static final long GROUP_REVISIONS = 10_000;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final CommitLogReader reader;
    private final EventRing ring;
    private final WatchHub hub;
    private final Executor logReaders;
    private final int readersMax;
    private final CatchUpQueue queue = new CatchUpQueue();
    private int reading;
    // Reads fail for a reason that may pass; told once.
    private boolean away;

    LogFeed(
            CommitLogReader reader,
            EventRing ring,
            WatchHub hub,
            Executor logReaders,
            int readersMax) {
        this.reader = reader;
        this.ring = ring;
        this.hub = hub;
        this.logReaders = logReaders;
        this.readersMax = readersMax;
    }

    void add(Watcher watcher) {
        queue.add(watcher);
    }

    void remove(Watcher watcher) {
        queue.remove(watcher);
    }

    /** Forgets all watchers; reads under way end unheard. */
    void clear() {
        queue.clear();
    }

    /** Starts as many reads as may run. */
    void run() {
        while (reading < readersMax && !queue.isEmpty()) {
            List<Watcher> group = new ArrayList<>();
            for (Watcher watcher : queue.poll(GROUP_MAX, GROUP_REVISIONS)) {
                if (watcher.next < hub.floor()) {
                    hub.compacted(watcher, hub.floor());
                } else if (watcher.stream.isReady()) {
                    hub.reading(watcher);
                    group.add(watcher);
                } else {
                    hub.lag(watcher, watcher.next);
                }
            }
            if (!group.isEmpty()) {
                start(group);
            }
        }
    }

    private void start(List<Watcher> group) {
        ReadPoint point = hub.readPoint();
        List<Want> wants = new ArrayList<>(group.size());
        for (Watcher watcher : group) {
            wants.add(new Want(watcher.request, watcher.next, lastWanted(watcher, point)));
        }
        try {
            logReaders.execute(() -> read(group, wants, point));
            reading++;
        } catch (RejectedExecutionException full) {
            hub.later(RETRY, () -> retry(group));
        }
    }

    /** On a thread of the log readers. */
    private void read(List<Watcher> group, List<Want> wants, ReadPoint point) {
        try {
            CommitLogReader.Result result = reader.read(wants, point);
            hub.post(() -> arrived(group, wants, result));
        } catch (RuntimeException | Error e) {
            hub.post(() -> failed(group, e));
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    /** A watcher that was live and lacks one revision of the ring only gets no more than that. */
    private long lastWanted(Watcher watcher, ReadPoint point) {
        boolean ringGoesOn = ring.get(watcher.next + 1) != null;
        return !watcher.replaying && ringGoesOn ? watcher.next : point.revision();
    }

    private void arrived(List<Watcher> group, List<Want> wants, CommitLogReader.Result result) {
        reading--;
        away = false;
        Set<ServerWatchStream> served = new HashSet<>();
        for (int i = 0; i < group.size(); i++) {
            Watcher watcher = group.get(i);
            if (watcher.state != Watcher.State.READING) {
                continue;
            }
            Want want = wants.get(i);
            Found found = result.found().get(i);
            watcher.alone = false;
            if (want.from() < result.floor()) {
                hub.compacted(watcher, result.floor());
            } else if (found.events().isEmpty() || deliver(watcher, want, found, served)) {
                hub.lag(watcher, found.next());
            } else {
                hub.lag(watcher, watcher.next);
            }
        }
    }

    /**
     * Sends what was read. Each stream that was ready when the read began takes one response even
     * if others filled it meanwhile: or a busy stream's watchers might be read for in vain for
     * ever.
     */
    private static boolean deliver(
            Watcher watcher, Want want, Found found, Set<ServerWatchStream> served) {
        ServerWatchStream stream = watcher.stream;
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
            if (!away) {
                LOG.warn("the commit log cannot be read now: {}", cause.getMessage());
                away = true;
            }
            hub.later(RETRY, () -> retry(group));
            return;
        }
        if (group.size() > 1) {
            // Only those fail that need what cannot be read.
            group.forEach(watcher -> watcher.alone = true);
            retry(group);
            return;
        }
        LOG.error("the commit log cannot be read; the stream that needs it ends", cause);
        boolean corrupt = kind == StorageException.Kind.CORRUPT;
        ErrorKind shown = corrupt ? ErrorKind.CORRUPT : ErrorKind.WATCH_INTERRUPTED;
        for (Watcher watcher : group) {
            if (watcher.state == Watcher.State.READING) {
                hub.fail(watcher.stream, new BackendException(shown, cause));
            }
        }
    }

    private void retry(List<Watcher> group) {
        for (Watcher watcher : group) {
            if (watcher.state == Watcher.State.READING) {
                hub.lag(watcher, watcher.next);
            }
        }
    }
}
