package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings events to watchers. One thread (the runtime's watch executor) owns every watcher; others
 * send it commands, and wake-ups that coalesce. It works in turns of bounded length and never
 * blocks: what must be read from the store is read by log readers.
 *
 * <p>A watcher is a next-revision number. It is live (told of each revision as it is committed), or
 * it is behind, and then fed from the {@link EventRing}, or, where the ring has no more, from the
 * commit log. Nothing is queued for it: a stream whose transport takes no more is left alone until
 * it says {@link WatchStream#ready}.
 *
 * <p>The publisher tells it of commits as a {@link CommitListener}; it fills the ring.
 */
public final class WatchHub implements CommitListener {
    private static final Logger LOG = LoggerFactory.getLogger(WatchHub.class);
    private static final int COMMANDS_PER_TURN = 4096;
    private static final long RESPONSES_PER_TURN = 10_000;
    private static final long REVISIONS_PER_TURN = 20_000;

    private final BackendRuntime runtime;
    private final Revisions revisions;
    private final EventRing ring;
    private final WatchSettings settings;
    private final LiveFeed live;
    private final RingFeed ringFeed;
    private final LogFeed logFeed;
    private final CommandQueue mailbox;
    private volatile BackendException closed;
    private volatile WatchStats stats;
    private final Set<ServerWatchStream> streams = new LinkedHashSet<>();
    private final SendBudget budget;
    private long serial;
    private int watchers;
    private long weight;
    private int behind;
    private long eventsSent;
    private long responsesSent;

    /**
     * A hub without streams.
     *
     * @param ring starts at the committed revision; filled through this hub only
     * @param log reads the same store that the revisions are of
     */
    public WatchHub(
            BackendRuntime runtime,
            Revisions revisions,
            EventRing ring,
            CommitLogReader log,
            WatchSettings settings) {
        this.runtime = runtime;
        this.revisions = revisions;
        this.ring = ring;
        this.settings = settings;
        this.mailbox = new CommandQueue(runtime.watch(), this::turn);
        this.live = new LiveFeed(ring, this, revisions.committed().revision());
        this.ringFeed = new RingFeed(ring, live, this, settings.catchUpBytesMax());
        this.logFeed =
                new LogFeed(log, ring, this, runtime.logReaders(), settings.catchUpReadersMax());
        this.budget = new SendBudget(settings.unsentBytesMax(), runtime.clock(), this);
        this.stats = count();
    }

    /**
     * Opens a stream. Does not block. After {@link #close} the sink is failed at once, by the
     * caller's thread.
     */
    public WatchStream open(WatchSink sink) {
        ServerWatchStream stream = new ServerWatchStream(this, sink);
        BackendException cause = closed;
        if (cause != null) {
            stream.fail(cause);
        } else {
            post(() -> admit(stream));
        }
        return stream;
    }

    /** Ends every stream with an error, and every stream that is opened from now on. */
    public void close(ErrorKind kind) {
        post(
                () -> {
                    if (closed == null) {
                        closed = new BackendException(kind);
                        failAll(closed);
                    }
                });
    }

    /** What the hub is doing, as of its last turn, and what the ring holds now. */
    public WatchStats stats() {
        return stats.with(ring.stats());
    }

    /** Who watches what; names no more than {@code listed} of a kind. Ends on the hub's thread. */
    public CompletableFuture<WatchCensus> census(int listed) {
        CompletableFuture<WatchCensus> census = new CompletableFuture<>();
        post(() -> census.complete(CensusTaker.take(streams, count(), committed(), listed)));
        return census;
    }

    @Override
    public void events(RevisionEvents events) {
        ring.events(events);
    }

    @Override
    public void committed(ReadPoint point) {
        // A stream that comes now is counted before it looks at what is committed.
        if (stats.streams() > 0) {
            mailbox.wake();
        }
    }

    /** Has {@code command} run on the hub's thread. Any thread. */
    void post(Runnable command) {
        mailbox.post(command);
    }

    private void turn() {
        boolean done = false;
        try {
            done = mailbox.run(COMMANDS_PER_TURN);
            done &= live.advance(committed(), RESPONSES_PER_TURN);
            ringFeed.run(REVISIONS_PER_TURN);
            logFeed.run();
            done &= ringFeed.isIdle();
        } catch (RuntimeException | Error e) {
            // Going on could leave a gap in somebody's events; clients come back and resume.
            LOG.error("watching failed; all watch streams end", e);
            failAll(new BackendException(ErrorKind.WATCH_INTERRUPTED));
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            stats = count();
            if (!done) {
                mailbox.wake();
            }
        }
    }

    // The rest belongs to the hub's thread.

    private void admit(ServerWatchStream stream) {
        if (closed != null) {
            stream.fail(closed);
            return;
        }
        streams.add(stream);
        stats = count();
        live.skip(committed());
        long interval = settings.progressInterval().toNanos();
        Duration jittered = Duration.ofNanos(interval + runtime.random().nextLong(interval / 10));
        stream.start(
                new ProgressTicker(runtime.clock(), runtime.scheduler(), this::post, jittered));
    }

    /** Ends a stream without a word. */
    void drop(ServerWatchStream stream) {
        streams.remove(stream);
        stream.end();
    }

    /** Ends a stream with an error. */
    void fail(ServerWatchStream stream, BackendException cause) {
        streams.remove(stream);
        stream.fail(cause);
    }

    private void failAll(BackendException cause) {
        // Whatever state the feeds are in: they are emptied, not taken apart.
        live.clear();
        ringFeed.clear();
        logFeed.clear();
        budget.clear();
        streams.forEach(stream -> stream.abandon(cause));
        streams.clear();
        watchers = 0;
        weight = 0;
        behind = 0;
    }

    /** The newest committed revision. */
    long committed() {
        return revisions.committed().revision();
    }

    /** The newest state that can be read. */
    ReadPoint readPoint() {
        return revisions.committed();
    }

    /** The oldest revision that can be read. */
    long floor() {
        return revisions.floor();
    }

    /** Tells live watchers everything that is committed; answers up to which revision that is. */
    long matchAll() {
        live.advance(committed(), Long.MAX_VALUE);
        return live.matched();
    }

    /** True if another watcher may be created; else the stream that asks is ended. */
    boolean hasRoom(ServerWatchStream stream, WatchRequest request) {
        if (weight + request.weight() <= settings.watchersMax()) {
            return true;
        }
        LOG.warn("a watch stream ends: the node has {} watchers, as many as it may", watchers);
        fail(stream, new BackendException(ErrorKind.TOO_MANY_REQUESTS));
        return false;
    }

    /** A new watcher, in no state yet. */
    Watcher watcher(ServerWatchStream stream, long id, WatchRequest request) {
        watchers++;
        weight += request.weight();
        return new Watcher(stream, id, request, serial++);
    }

    /** Puts a watcher that needs nothing below its next revision among the live ones. */
    void live(Watcher watcher) {
        move(watcher, Watcher.State.LIVE);
        live.add(watcher);
    }

    /** A watcher that was behind is not any more. */
    void catchUp(Watcher watcher) {
        watcher.stream.removeLagging(watcher);
        watcher.replaying = false;
        live(watcher);
    }

    /** A watcher is behind: it goes on at {@code revision}, from the ring if that is there. */
    void lag(Watcher watcher, long revision) {
        if (watcher.state == Watcher.State.LIVE) {
            live.remove(watcher);
        }
        move(watcher, Watcher.State.LAGGING);
        watcher.next = revision;
        watcher.stream.addLagging(watcher);
        offer(watcher.stream);
    }

    /** What live watchers miss from {@code revision} to {@code last} is in the log only. */
    void leaveBehind(long revision, long last) {
        for (ServerWatchStream stream : streams) {
            for (Watcher watcher : stream.watchers()) {
                if (watcher.state == Watcher.State.LIVE && watcher.next <= last) {
                    lag(watcher, Math.max(watcher.next, revision));
                }
            }
        }
    }

    /** What a watcher needs next has left the ring. */
    void readLog(Watcher watcher) {
        watcher.stream.removeLagging(watcher);
        move(watcher, Watcher.State.WAITING);
        logFeed.add(watcher);
    }

    /** A reader of the log has taken a watcher on. */
    void reading(Watcher watcher) {
        move(watcher, Watcher.State.READING);
    }

    /** What a watcher needs next is below the compaction floor. */
    void compacted(Watcher watcher, long floor) {
        move(watcher, Watcher.State.COMPACTED);
        watcher.stream.compacted(watcher, floor);
    }

    /** A watcher is no more. */
    void end(Watcher watcher) {
        switch (watcher.state) {
            case LIVE -> live.remove(watcher);
            case LAGGING -> watcher.stream.removeLagging(watcher);
            case WAITING -> logFeed.remove(watcher);
            case READING, COMPACTED, ENDED -> {}
        }
        move(watcher, Watcher.State.ENDED);
        watchers--;
        weight -= watcher.request.weight();
    }

    /** Lets a stream's lagging watchers be fed, if it has any. */
    void offer(ServerWatchStream stream) {
        ringFeed.offer(stream);
    }

    void countEvents(int events) {
        eventsSent += events;
        responsesSent++;
    }

    /** Has {@code command} run on the hub's thread after a while. */
    void later(Duration delay, Runnable command) {
        runtime.scheduler().schedule(delay, this::post, command);
    }

    private WatchStats count() {
        return new WatchStats(
                streams.size(),
                watchers,
                behind,
                eventsSent,
                responsesSent,
                ring.stats(),
                budget.stats());
    }

    private void move(Watcher watcher, Watcher.State state) {
        behind -= watcher.isBehind() ? 1 : 0;
        watcher.stream.moved(watcher.state, state);
        watcher.state = state;
        behind += watcher.isBehind() ? 1 : 0;
    }

    /** What transports hold for clients that have not read it. */
    SendBudget budget() {
        return budget;
    }

    /** Ends a stream whose client does not read, and the client's connection. */
    void stalled(ServerWatchStream stream) {
        LOG.warn("a watch client does not read while others wait: its connection is dropped");
        streams.remove(stream);
        stream.stalled();
    }
}
