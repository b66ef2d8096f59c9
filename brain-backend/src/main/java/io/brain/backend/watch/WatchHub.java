package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.Revisions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves watch streams. One thread (the runtime's watch executor) owns all watchers; others send it
 * commands, and wake-ups that coalesce. It works in turns of bounded length and never blocks: log
 * readers read the store. See the package page for the states of a watcher.
 */
public final class WatchHub {
    private static final Logger LOG = LoggerFactory.getLogger(WatchHub.class);
    private static final int COMMANDS_PER_TURN = 4096;
    private static final long RESPONSES_PER_TURN = 10_000;
    private static final long REVISIONS_PER_TURN = 20_000;

    private final BackendRuntime runtime;
    private final Revisions revisions;
    private final EventRing ring;
    private final long progressNanos;
    final CommandQueue commands;
    private final WatcherGroups groups;
    private final EventSender sender;
    private final RingFeed ringFeed;
    private final LogFeed logFeed;
    private final Map<StreamOutput, ServerWatchStream> streams = new LinkedHashMap<>();
    private volatile BackendException closed;
    private volatile WatchStats stats;

    /**
     * A hub without streams.
     *
     * @param ring has every revision before it is committed
     * @param log reads the same store
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
        progressNanos = settings.progressInterval().toNanos();
        commands = new CommandQueue(runtime.watch(), this::turn);
        groups = new WatcherGroups(settings.watchersMax());
        sender =
                new EventSender(
                        settings.unsentBytesMax(), runtime.clock(), runtime.scheduler(), commands);
        ringFeed = new RingFeed(ring, revisions, groups, sender, settings.catchUpBytesMax());
        logFeed =
                new LogFeed(
                        log,
                        settings.catchUpReadersMax(),
                        ring,
                        revisions,
                        groups,
                        sender,
                        runtime,
                        commands);
        stats = count();
        revisions.onPublish(this::published);
    }

    /**
     * Opens a stream. Does not block. After {@link #close} the sink is failed at once, on the
     * caller's thread.
     */
    public WatchStream open(WatchSink sink) {
        StreamOutput output = new StreamOutput(sink, ended -> commands.execute(() -> drop(ended)));
        ServerWatchStream stream =
                new ServerWatchStream(output, commands, revisions, groups, ringFeed, runtime);
        BackendException cause = closed;
        if (cause != null) {
            output.fail(cause);
        } else {
            commands.execute(() -> admit(output, stream));
        }
        return stream;
    }

    /** Ends all streams with an error, also those that are opened later. */
    public void close(ErrorKind kind) {
        commands.execute(
                () -> {
                    if (closed == null) {
                        closed = new BackendException(kind);
                        failAll(closed);
                    }
                });
    }

    /** Figures of the hub after its last turn, and of the ring now. */
    public WatchStats stats() {
        return stats.with(ring.stats());
    }

    /** Who watches what; names {@code listed} of a kind at most. Completes on the hub's thread. */
    public CompletableFuture<WatchCensus> census(int listed) {
        return CompletableFuture.supplyAsync(
                () -> {
                    long committed = revisions.committed().revision();
                    return WatchCensus.of(groups.all(), count(), committed, listed);
                },
                commands);
    }

    private void published() {
        // A stream that opens now is counted before it reads the committed revision.
        if (stats.streams() > 0) {
            commands.wake();
        }
    }

    private void turn() {
        boolean idle = false;
        try {
            idle = commands.run(COMMANDS_PER_TURN);
            idle &= ringFeed.advance(RESPONSES_PER_TURN);
            ringFeed.feed(REVISIONS_PER_TURN);
            logFeed.run();
            idle &= ringFeed.isIdle();
        } catch (RuntimeException | Error e) {
            // To continue could leave a gap in a watcher's events; clients resume.
            LOG.error("unexpected error, all watch streams ended", e);
            failAll(new BackendException(ErrorKind.WATCH_INTERRUPTED));
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            stats = count();
            if (!idle) {
                commands.wake();
            }
        }
    }

    // The rest belongs to the hub's thread.

    private void admit(StreamOutput output, ServerWatchStream stream) {
        if (closed != null) {
            output.fail(closed);
            return;
        }
        streams.put(output, stream);
        stats = count();
        // Skips at once what was committed while there was no watcher.
        ringFeed.advance(RESPONSES_PER_TURN);
        long jitter = runtime.random().nextLong(progressNanos / 10);
        stream.begin(Duration.ofNanos(progressNanos + jitter));
    }

    /** Forgets a stream that has ended. */
    private void drop(StreamOutput output) {
        ServerWatchStream stream = streams.remove(output);
        if (stream != null) {
            stream.end();
            sender.remove(output);
        }
    }

    private void failAll(BackendException cause) {
        groups.clear();
        sender.clear();
        streams.keySet().forEach(output -> output.fail(cause));
    }

    private WatchStats count() {
        return new WatchStats(
                streams.size(),
                groups.all().size(),
                groups.unsynced(),
                sender.events(),
                sender.responses(),
                ring.stats(),
                sender.unsent());
    }
}
