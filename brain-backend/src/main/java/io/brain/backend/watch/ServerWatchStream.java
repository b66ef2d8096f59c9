package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.Revisions;
import io.brain.backend.watch.WatchSink.Refusal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request side of one watch stream: its watchers by id, and their progress notifications. The
 * public calls may come from any thread and become commands; everything else belongs to the hub's
 * thread.
 */
final class ServerWatchStream implements WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchStream.class);

    private final StreamOutput output;
    private final CommandQueue commands;
    private final Revisions revisions;
    private final WatcherGroups groups;
    private final RingFeed ringFeed;
    private final BackendRuntime runtime;
    private final Map<Long, Watcher> watchers = new LinkedHashMap<>();
    private long nextId;
    private long progressNanos;
    private long beginNanos;
    private Scheduler.Timer progressTimer;

    ServerWatchStream(
            StreamOutput output,
            CommandQueue commands,
            Revisions revisions,
            WatcherGroups groups,
            RingFeed ringFeed,
            BackendRuntime runtime) {
        this.output = output;
        this.commands = commands;
        this.revisions = revisions;
        this.groups = groups;
        this.ringFeed = ringFeed;
        this.runtime = runtime;
    }

    @Override
    public void create(WatchRequest request) {
        command(() -> createNow(request));
    }

    @Override
    public void cancel(long watchId) {
        command(
                () -> {
                    Watcher watcher = watchers.remove(watchId);
                    if (watcher != null) {
                        groups.remove(watcher);
                        output.respond(to -> to.canceled(watchId, committed()));
                    }
                });
    }

    @Override
    public void requestProgress() {
        command(
                () -> {
                    long revision = advance();
                    // As in etcd, there is no response if a watcher is unsynced or the transport
                    // is full: the client asks again.
                    if (!watchers.isEmpty()
                            && watchers.values().stream().allMatch(w -> w.isSyncedAt(revision))
                            && output.isReady()) {
                        output.respond(to -> to.progress(WatchSink.NO_WATCHER, revision));
                    }
                });
    }

    @Override
    public void ready() {
        commands.execute(() -> groups.offer(output));
    }

    @Override
    public void close() {
        commands.execute(output::end);
    }

    /** Runs a client's call, unless the stream has ended. */
    private void command(Runnable call) {
        commands.execute(
                () -> {
                    if (!output.isEnded()) {
                        call.run();
                        output.respond(WatchSink::taken);
                    }
                });
    }

    private void createNow(WatchRequest request) {
        if (request.startRevision() < 0) {
            refuse(Refusal.NEGATIVE_REVISION);
        } else if (request.span().isEmpty()) {
            refuse(Refusal.EMPTY_RANGE);
        } else if (request.watchId() != 0 && watchers.containsKey(request.watchId())) {
            refuse(Refusal.DUPLICATE_ID);
        } else if (!groups.admits(request)) {
            LOG.warn("watch stream ended, too many watchers: watchers={}", groups.all().size());
            output.fail(new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        } else {
            Watcher watcher = groups.create(output, idOf(request), request);
            watchers.put(watcher.id, watcher);
            start(watcher);
        }
    }

    private void refuse(Refusal refusal) {
        output.respond(to -> to.refused(committed(), refusal));
    }

    private long idOf(WatchRequest request) {
        if (request.watchId() != 0) {
            return request.watchId();
        }
        while (watchers.containsKey(nextId)) {
            nextId++;
        }
        return nextId++;
    }

    private void start(Watcher watcher) {
        long committed = committed();
        long floor = revisions.floor();
        long start = watcher.request.startRevision();
        output.respond(to -> to.created(watcher.id, committed));
        if (start == 0 || start > committed) {
            watcher.next = Math.max(start, committed + 1);
            groups.sync(watcher);
        } else if (start < floor) {
            groups.compact(watcher, floor);
        } else {
            watcher.replaying = true;
            groups.unsync(watcher, Math.max(start, LogScan.REVISION_MIN));
        }
        if (watcher.request.progressNotify()) {
            scheduleProgress();
        }
    }

    /**
     * Begins the stream.
     *
     * @param progressInterval between progress notifications, counted from now
     */
    void begin(Duration progressInterval) {
        progressNanos = progressInterval.toNanos();
        beginNanos = runtime.clock().nanos();
    }

    private void scheduleProgress() {
        if (progressTimer == null) {
            long passed = (runtime.clock().nanos() - beginNanos) % progressNanos;
            Duration delay = Duration.ofNanos(progressNanos - passed);
            progressTimer = runtime.scheduler().schedule(delay, commands, this::notifyProgress);
        }
    }

    private void notifyProgress() {
        progressTimer = null;
        if (output.isEnded()) {
            return;
        }
        long revision = advance();
        for (Watcher watcher : watchers.values()) {
            if (watcher.request.progressNotify()) {
                if (watcher.quiet && watcher.isSyncedAt(revision) && output.isReady()) {
                    output.respond(to -> to.progress(watcher.id, revision));
                }
                watcher.quiet = true;
                scheduleProgress();
            }
        }
    }

    /** Sends synced watchers everything that is committed; returns up to which revision. */
    private long advance() {
        ringFeed.advance(Long.MAX_VALUE);
        return ringFeed.syncedRevision();
    }

    private long committed() {
        return revisions.committed().revision();
    }

    /** Ends all watchers, after the end of the output. */
    void end() {
        watchers.values().forEach(groups::remove);
        watchers.clear();
        if (progressTimer != null) {
            progressTimer.cancel();
        }
    }
}
