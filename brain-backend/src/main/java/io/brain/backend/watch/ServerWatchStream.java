package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.Revisions;
import io.brain.backend.watch.WatchSink.Refusal;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of a stream's client: each is a command to the hub's thread, which runs all private
 * methods.
 */
final class ServerWatchStream implements WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchStream.class);

    private final OpenStream stream;
    private final Watchers watchers;
    private final SyncedFeed synced;
    private final FloorNotices notices;
    private final Revisions revisions;
    private final CommandQueue commands;
    private final AtomicBoolean readyPosted = new AtomicBoolean();

    ServerWatchStream(
            OpenStream stream,
            Watchers watchers,
            SyncedFeed synced,
            FloorNotices notices,
            Revisions revisions,
            CommandQueue commands) {
        this.stream = stream;
        this.watchers = watchers;
        this.synced = synced;
        this.notices = notices;
        this.revisions = revisions;
        this.commands = commands;
    }

    @Override
    public void create(WatchRequest request) {
        command(() -> register(request));
    }

    @Override
    public void refuse(ErrorKind why) {
        command(() -> stream.respond(to -> to.forbidden(committed(), why)));
    }

    @Override
    public void cancel(long watchId) {
        command(
                () -> {
                    Watcher watcher = stream.watchers.remove(watchId);
                    if (watcher != null) {
                        watchers.end(watcher);
                        stream.respond(to -> to.canceled(watchId, committed()));
                    }
                });
    }

    @Override
    public void requestProgress() {
        command(
                () -> {
                    long revision = synced.sendAll();
                    // Dropped if a watcher is unsynced or the transport is full, as in etcd: the
                    // client asks again.
                    if (!stream.watchers.isEmpty()
                            && stream.isSyncedAt(revision)
                            && stream.isReady()) {
                        stream.respond(to -> to.progress(WatchSink.NO_WATCHER, revision));
                    }
                });
    }

    @Override
    public void ready() {
        if (readyPosted.compareAndSet(false, true)) {
            commands.post(
                    () -> {
                        readyPosted.set(false);
                        if (stream.isReady()) {
                            notices.retry(stream);
                            watchers.enqueue(stream);
                        }
                    });
        }
    }

    @Override
    public void close() {
        commands.post(() -> watchers.end(stream));
    }

    /** Posts a command that does nothing once the stream has ended. */
    private void command(Runnable action) {
        commands.post(
                () -> {
                    if (!stream.isEnded()) {
                        action.run();
                        stream.respond(WatchSink::taken);
                    }
                });
    }

    private void register(WatchRequest request) {
        if (request.startRevision() < 0) {
            refuse(Refusal.NEGATIVE_REVISION);
        } else if (request.span().isEmpty()) {
            refuse(Refusal.EMPTY_RANGE);
        } else if (request.watchId() != 0 && stream.watchers.containsKey(request.watchId())) {
            refuse(Refusal.DUPLICATE_ID);
        } else if (!watchers.hasRoom(request)) {
            LOG.warn("watch stream ended reason=too-many-watchers watchers={}", watchers.size());
            watchers.fail(stream, new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        } else {
            long id = request.watchId() != 0 ? request.watchId() : stream.unusedId();
            start(watchers.add(stream, id, request));
        }
    }

    private void refuse(Refusal refusal) {
        stream.respond(to -> to.refused(committed(), refusal));
    }

    private void start(Watcher watcher) {
        long current = committed();
        long start = watcher.request.startRevision();
        boolean past = start != 0 && start <= current;
        // Not a later one: a client resumes at this revision, also if it has seen no event.
        stream.respond(to -> to.created(watcher.id, current));
        if (!past) {
            watcher.next = Math.max(start, current + 1);
            watchers.move(watcher, Watcher.State.SYNCED);
        } else if (watchers.isCompacted(start, notices.floor())) {
            watchers.cancelCompacted(watcher, revisions.floor());
        } else {
            watcher.replaying = true;
            watchers.feedFromRing(watcher, Math.max(start, LogScan.REVISION_MIN));
        }
        if (watcher.request.progressNotify()) {
            stream.ticker.arm(this::notifyProgress);
        }
    }

    private void notifyProgress() {
        if (stream.isEnded()) {
            return;
        }
        long revision = synced.sendAll();
        boolean wanted = false;
        for (Watcher watcher : stream.watchers.values()) {
            if (watcher.request.progressNotify()) {
                wanted = true;
                if (watcher.quiet && watcher.isSyncedAt(revision) && stream.isReady()) {
                    stream.respond(to -> to.progress(watcher.id, revision));
                }
                watcher.quiet = true;
            }
        }
        if (wanted) {
            stream.ticker.arm(this::notifyProgress);
        }
    }

    private long committed() {
        return revisions.committed().revision();
    }
}
