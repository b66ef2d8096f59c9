package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events to watchers. One thread (the runtime's watch executor) owns all watchers; other
 * threads send it commands, and wake it after each publication. It works in turns of limited length
 * and never blocks: log reader threads read the store.
 *
 * <p>Nothing is queued for a watcher: a stream whose transport is full is skipped until {@link
 * WatchStream#ready}.
 */
public final class WatchHub {
    private static final Logger LOG = LoggerFactory.getLogger(WatchHub.class);
    private static final int COMMANDS_PER_TURN = 4096;
    private static final long RESPONSES_PER_TURN = 10_000;
    private static final int NOTICES_PER_TURN = 10_000;
    private static final long REVISIONS_PER_TURN = 20_000;
    private static final Duration STALL_CHECK_INTERVAL = Duration.ofSeconds(1);

    private final BackendRuntime runtime;
    private final Revisions revisions;
    private final EventRing ring;
    private final Duration progressInterval;
    private final CommandQueue commands;
    private final SendBudget<OpenStream> budget;
    private final Watchers watchers;
    private final SyncedFeed synced;
    private final FloorNotices notices;
    private final RingFeed ringFeed;
    private final LogFeed logFeed;
    private volatile BackendException closed;
    private volatile WatchStats stats;

    /** True while a check for stalled clients is scheduled. */
    private boolean checksStalled;

    /**
     * A hub without streams.
     *
     * @param ring has every revision before it is committed
     */
    public WatchHub(BackendRuntime runtime, Store store, EventRing ring, WatchSettings settings) {
        this.runtime = runtime;
        this.revisions = store.revisions();
        this.ring = ring;
        this.progressInterval = settings.progressInterval();
        commands = new CommandQueue(runtime.watch(), this::turn);
        budget =
                new SendBudget<>(
                        settings.unsentBytesMax(), runtime.clock(), OpenStream::takenBytes);
        watchers = new Watchers(budget, settings.watchersMax(), settings.resumeRevisions());
        synced = new SyncedFeed(ring, revisions, watchers);
        boolean notifies = settings.progressBeforeCompaction();
        notices = new FloorNotices(revisions, watchers, synced, NOTICES_PER_TURN, notifies);
        ringFeed = new RingFeed(ring, revisions, watchers, synced, settings.catchUpBytesMax());
        CommitLogReader log =
                new CommitLogReader(store, settings.catchUpBytesMax(), settings.resumeRevisions());
        int readersMax = settings.catchUpReadersMax();
        logFeed = new LogFeed(log, ring, watchers, runtime, this::post, readersMax);
        stats = count();
        revisions.onPublish(this::published);
    }

    /**
     * Opens a stream; does not block. After {@link #close} the sink fails at once, on the caller's
     * thread.
     */
    public WatchStream open(WatchSink sink) {
        OpenStream stream =
                new OpenStream(sink, budget, broken -> post(() -> watchers.end(broken)));
        BackendException cause = closed;
        if (cause != null) {
            stream.fail(cause);
        } else {
            post(() -> start(stream));
        }
        return new ServerWatchStream(stream, watchers, synced, notices, revisions, commands);
    }

    /** Ends every stream, and every stream that is opened from now on, with an error. */
    public void close(ErrorKind kind) {
        post(
                () -> {
                    if (closed == null) {
                        closed = new BackendException(kind);
                        failAll(closed);
                    }
                });
    }

    /** The load as of the last turn, and the current state of the ring. */
    public WatchStats stats() {
        return stats.with(ring.stats());
    }

    /** What is watched; lists at most {@code listed} of a kind. Completes on the hub's thread. */
    public CompletableFuture<WatcherSummary> summary(int listed) {
        CompletableFuture<WatcherSummary> summary = new CompletableFuture<>();
        post(
                () ->
                        summary.complete(
                                WatcherSummary.of(
                                        watchers, revisions.committed().revision(), listed)));
        return summary;
    }

    private void published() {
        // A new stream is counted before it reads the committed revision.
        if (stats.streams() > 0) {
            commands.wake();
        }
    }

    /** Runs a command on the hub's thread. Any thread. */
    void post(Runnable command) {
        commands.post(command);
    }

    private void turn() {
        boolean done = false;
        try {
            done = notices.run();
            done &= commands.run(COMMANDS_PER_TURN);
            done &= synced.send(RESPONSES_PER_TURN);
            ringFeed.run(REVISIONS_PER_TURN);
            logFeed.run(revisions.committed(), revisions.floor());
            done &= !watchers.hasNextStream();
            if (budget.hasWaiting() && !checksStalled) {
                scheduleStalledCheck();
            }
        } catch (RuntimeException | Error e) {
            // Events might be missing if the streams continued; clients resume.
            LOG.error("unexpected error, all watch streams end", e);
            failAll(new BackendException(ErrorKind.WATCH_INTERRUPTED));
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            stats = count();
            if (!done) {
                commands.wake();
            }
        }
    }

    private void start(OpenStream stream) {
        if (closed != null) {
            stream.fail(closed);
            return;
        }
        watchers.open(stream);
        stats = count();
        synced.skip();
        long interval = progressInterval.toNanos();
        Duration jittered = Duration.ofNanos(interval + runtime.random().nextLong(interval / 10));
        stream.ticker =
                new ProgressTicker(runtime.clock(), runtime.scheduler(), this::post, jittered);
    }

    private void failAll(BackendException cause) {
        synced.clear();
        watchers.failAll(cause);
    }

    private void scheduleStalledCheck() {
        checksStalled = true;
        runtime.scheduler().schedule(STALL_CHECK_INTERVAL, this::post, this::endStalled);
    }

    /** Ends streams whose clients do not read while others wait, with their connections. */
    private void endStalled() {
        checksStalled = false;
        if (!budget.hasWaiting()) {
            return;
        }
        scheduleStalledCheck();
        for (OpenStream stream : budget.stalled()) {
            if (!stream.isReady()) {
                LOG.warn("watch client disconnected reason=not-reading");
                budget.countDropped();
                stream.respond(WatchSink::stalled);
                watchers.end(stream);
            }
        }
    }

    private WatchStats count() {
        return new WatchStats(
                watchers.streams().size(),
                watchers.size(),
                watchers.unsynced(),
                budget.eventsSent(),
                budget.responsesSent(),
                notices.sent(),
                ring.stats(),
                budget.stats());
    }
}
