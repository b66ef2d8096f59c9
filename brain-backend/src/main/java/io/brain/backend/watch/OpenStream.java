package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch stream: its watchers and its transport. Used by the hub's thread only, except {@link
 * #fail} before the stream is opened.
 */
final class OpenStream {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStream.class);

    private final WatchSink sink;
    private final SendBudget<OpenStream> budget;
    private final Consumer<OpenStream> broken;
    private long nextId;

    /** Highest start revision of a watcher since the stream had none. */
    private long startMax;

    /** True while the budget counts bytes of this stream. */
    private boolean charged;

    private boolean ended;

    /** By id; including those that compaction cancelled. */
    final Map<Long, Watcher> watchers = new LinkedHashMap<>();

    /** Watchers in state {@link Watcher.State#RING}; the first one is fed next. */
    final Set<Watcher> ringWatchers = new LinkedHashSet<>();

    /** Ends with the stream; null until the stream is open. */
    ProgressTicker ticker;

    /** Number of synced watchers. */
    int synced;

    /** True if the transport was full when its watchers were to be notified of their progress. */
    boolean lacksNotices;

    /** True while the stream is in the queue of streams to feed from the ring. */
    boolean queued;

    /**
     * A stream without watchers.
     *
     * @param broken receives the stream, any number of times, after its transport has thrown
     */
    OpenStream(WatchSink sink, SendBudget<OpenStream> budget, Consumer<OpenStream> broken) {
        this.sink = sink;
        this.budget = budget;
        this.broken = broken;
    }

    boolean isEnded() {
        return ended;
    }

    /** The least id that was not chosen before and is free. */
    long unusedId() {
        while (watchers.containsKey(nextId)) {
            nextId++;
        }
        return nextId++;
    }

    void add(Watcher watcher) {
        startMax = Math.max(watchers.isEmpty() ? 0 : startMax, watcher.request.startRevision());
        watchers.put(watcher.id, watcher);
    }

    /** True if each watcher was sent everything up to {@code revision}; true without watchers. */
    boolean isSyncedAt(long revision) {
        return synced == watchers.size()
                && (startMax <= revision
                        || watchers.values().stream().allMatch(one -> one.isSyncedAt(revision)));
    }

    /** Lets the stream's other watchers be fed from the ring first. */
    void rotate(Watcher watcher) {
        if (ringWatchers.remove(watcher)) {
            ringWatchers.add(watcher);
        }
    }

    /** Bytes that the client's connection accepted so far. */
    long takenBytes() {
        return sink.takenBytes();
    }

    /** True if the transport accepts more without queueing. */
    boolean isReady() {
        if (ended) {
            return false;
        }
        try {
            boolean ready = sink.isReady();
            if (ready && charged) {
                charged = false;
                budget.release(this);
            }
            return ready;
        } catch (RuntimeException | Error e) {
            interrupt(e);
            return false;
        }
    }

    /** Sends events; false if the transport is not ready or the budget has no room. */
    boolean send(Watcher watcher, long revision, List<WatchEvent> events) {
        return isReady() && sendAnyway(watcher, revision, events);
    }

    /** Sends events even if the transport is not ready; false if the budget has no room. */
    boolean sendAnyway(Watcher watcher, long revision, List<WatchEvent> events) {
        WatchRequest request = watcher.request;
        long bytes = 0;
        for (WatchEvent event : events) {
            bytes += event.sentBytes(request.prevKv());
        }
        if (!budget.admits(this, bytes, watcher.replaying)) {
            return false;
        }
        watcher.quiet = false;
        budget.countSent(events.size());
        respond(
                to ->
                        to.events(
                                watcher.id,
                                revision,
                                events,
                                request.prevKv(),
                                request.fragment()));
        if (bytes >= SendBudget.SMALL_BYTES && !isReady() && !ended) {
            charged = true;
            budget.charge(this, bytes);
        }
        return true;
    }

    /** Calls the sink, unless the stream has ended. A sink that throws ends this stream only. */
    void respond(Consumer<WatchSink> response) {
        if (ended) {
            return;
        }
        try {
            response.accept(sink);
        } catch (RuntimeException | Error e) {
            interrupt(e);
        }
    }

    /** Sends an error, then nothing more. */
    void fail(BackendException cause) {
        respond(to -> to.failed(cause));
        end();
    }

    /** Sends nothing from now on. */
    void end() {
        ended = true;
        if (ticker != null) {
            ticker.close();
        }
    }

    /** Ends the stream with an error after which clients resume. */
    private void interrupt(Throwable cause) {
        LOG.warn("watch stream ended reason=transport-failed", cause);
        ended = true;
        try {
            sink.failed(new BackendException(ErrorKind.WATCH_INTERRUPTED));
        } catch (RuntimeException | Error e) {
            LOG.warn("watch stream end not sent", e);
        }
        broken.accept(this);
    }
}
