package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.watch.WatchSink.Refusal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch stream: its watchers and their ids, what its transport takes, its progress. The public
 * calls may come from any thread; everything else belongs to the hub's thread.
 */
final class ServerWatchStream implements WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatchStream.class);

    private final WatchHub hub;
    private final WatchSink sink;
    private final AtomicBoolean readyPosted = new AtomicBoolean();
    private final Map<Long, Watcher> watchers = new LinkedHashMap<>();
    private final Set<Watcher> lagging = new LinkedHashSet<>();
    private ProgressTicker ticker;
    private long nextId;
    // How many watchers are live, and the highest start revision of any since there were none.
    private int live;
    private long startMax;
    // True while the budget holds bytes of this stream.
    private boolean charged;
    private boolean ended;
    // True while the stream waits in the ring feed's queue.
    boolean queued;

    ServerWatchStream(WatchHub hub, WatchSink sink) {
        this.hub = hub;
        this.sink = sink;
    }

    @Override
    public void create(WatchRequest request) {
        command(() -> register(request));
    }

    @Override
    public void cancel(long watchId) {
        command(
                () -> {
                    Watcher watcher = watchers.remove(watchId);
                    if (watcher != null) {
                        hub.end(watcher);
                        respond(to -> to.canceled(watchId, hub.committed()));
                    }
                });
    }

    @Override
    public void requestProgress() {
        command(
                () -> {
                    long revision = hub.matchAll();
                    // Dropped if a watcher is behind or the transport is full, as in etcd: the
                    // client asks again.
                    if (!watchers.isEmpty() && areSyncedAt(revision) && isReady()) {
                        respond(to -> to.progress(WatchSink.NO_WATCHER, revision));
                    }
                });
    }

    @Override
    public void ready() {
        if (readyPosted.compareAndSet(false, true)) {
            hub.post(
                    () -> {
                        readyPosted.set(false);
                        if (isReady()) {
                            hub.offer(this);
                        }
                    });
        }
    }

    @Override
    public void close() {
        hub.post(() -> hub.drop(this));
    }

    /** The watchers that exist, those that compaction ended included. */
    Iterable<Watcher> watchers() {
        return watchers.values();
    }

    /** True if the transport takes more without queueing. */
    boolean isReady() {
        if (ended) {
            return false;
        }
        try {
            boolean ready = sink.isReady();
            if (ready && charged) {
                charged = false;
                hub.budget().release(this);
            }
            return ready;
        } catch (RuntimeException | Error e) {
            interrupt(e);
            return false;
        }
    }

    /** Bytes that the client's connection took so far. */
    long takenBytes() {
        return sink.takenBytes();
    }

    /** The watcher to feed next from the ring; null if there is none. */
    Watcher nextLagging() {
        return lagging.isEmpty() ? null : lagging.iterator().next();
    }

    /** A watcher of the stream changes its state. */
    void moved(Watcher.State from, Watcher.State to) {
        live -= from == Watcher.State.LIVE ? 1 : 0;
        live += to == Watcher.State.LIVE ? 1 : 0;
    }

    void addLagging(Watcher watcher) {
        lagging.add(watcher);
    }

    void removeLagging(Watcher watcher) {
        lagging.remove(watcher);
    }

    /** Lets the stream's other lagging watchers go first. */
    void rotate(Watcher watcher) {
        if (lagging.remove(watcher)) {
            lagging.add(watcher);
        }
    }

    /** Sends events if the transport is ready and the budget has room; else answers false. */
    boolean send(Watcher watcher, long revision, List<WatchEvent> events) {
        return isReady() && sendAnyway(watcher, revision, events);
    }

    /** The same even if the transport is not ready; false only if the budget has no room. */
    boolean sendAnyway(Watcher watcher, long revision, List<WatchEvent> events) {
        WatchRequest request = watcher.request;
        long bytes = 0;
        for (WatchEvent event : events) {
            bytes += event.sentBytes(request.prevKv());
        }
        if (!hub.budget().admits(this, bytes, watcher.replaying)) {
            return false;
        }
        watcher.quiet = false;
        hub.countEvents(events.size());
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
            hub.budget().charge(this, bytes);
        }
        return true;
    }

    void compacted(Watcher watcher, long floor) {
        respond(to -> to.compacted(watcher.id, floor));
    }

    /** The stream begins; its ticker just did. */
    void start(ProgressTicker progressTicker) {
        ticker = progressTicker;
    }

    /** Ends all watchers without a word; nothing is sent from here on. */
    void end() {
        ended = true;
        if (ticker != null) { // else it never came to the hub's thread
            ticker.close();
            hub.budget().forget(this);
        }
        watchers.values().forEach(hub::end);
        watchers.clear();
    }

    /** Ends all watchers, and the connection whose client does not read. */
    void stalled() {
        respond(WatchSink::stalled);
        end();
    }

    /** Ends all watchers with an error. */
    void fail(BackendException cause) {
        respond(to -> to.failed(cause));
        end();
    }

    /** Like {@link #fail}, when the hub has forgotten all watchers already. */
    void abandon(BackendException cause) {
        watchers.values().forEach(watcher -> watcher.state = Watcher.State.ENDED);
        watchers.clear();
        lagging.clear();
        live = 0;
        fail(cause);
    }

    /** A client's call: nothing of it happens once the stream has ended. */
    private void command(Runnable action) {
        hub.post(
                () -> {
                    if (!ended) {
                        action.run();
                        respond(WatchSink::taken);
                    }
                });
    }

    private void register(WatchRequest request) {
        if (request.startRevision() < 0) {
            respond(to -> to.refused(hub.committed(), Refusal.NEGATIVE_REVISION));
        } else if (request.span().isEmpty()) {
            respond(to -> to.refused(hub.committed(), Refusal.EMPTY_RANGE));
        } else if (request.watchId() != 0 && watchers.containsKey(request.watchId())) {
            respond(to -> to.refused(hub.committed(), Refusal.DUPLICATE_ID));
        } else if (hub.hasRoom(this, request)) {
            Watcher watcher = hub.watcher(this, idOf(request), request);
            startMax = Math.max(watchers.isEmpty() ? 0 : startMax, request.startRevision());
            watchers.put(watcher.id, watcher);
            begin(watcher);
        }
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

    private void begin(Watcher watcher) {
        long current = hub.committed();
        long start = watcher.request.startRevision();
        boolean past = start != 0 && start <= current;
        respond(to -> to.created(watcher.id, hub.committed()));
        if (!past) {
            watcher.next = Math.max(start, current + 1);
            hub.live(watcher);
        } else if (start < hub.floor()) {
            hub.compacted(watcher, hub.floor());
        } else {
            watcher.replaying = true;
            hub.lag(watcher, Math.max(start, LogScan.REVISION_MIN));
        }
        if (watcher.request.progressNotify()) {
            ticker.arm(this::tick);
        }
    }

    private void tick() {
        if (ended) {
            return;
        }
        long revision = hub.matchAll();
        boolean wanted = false;
        for (Watcher watcher : watchers.values()) {
            if (watcher.request.progressNotify()) {
                wanted = true;
                if (watcher.quiet && watcher.isSyncedAt(revision) && isReady()) {
                    respond(to -> to.progress(watcher.id, revision));
                }
                watcher.quiet = true;
            }
        }
        if (wanted) {
            ticker.arm(this::tick);
        }
    }

    private boolean areSyncedAt(long revision) {
        return live == watchers.size()
                && (startMax <= revision
                        || watchers.values().stream().allMatch(one -> one.isSyncedAt(revision)));
    }

    /** A sink that throws loses its stream; the others do not notice. */
    private void respond(Consumer<WatchSink> response) {
        if (ended) {
            return;
        }
        try {
            response.accept(sink);
        } catch (RuntimeException | Error e) {
            interrupt(e);
        }
    }

    /** Ends the stream alone, with a code that clients resume on. */
    private void interrupt(Throwable cause) {
        LOG.warn("a watch stream ends: its transport failed", cause);
        ended = true;
        try {
            sink.failed(new BackendException(ErrorKind.WATCH_INTERRUPTED));
        } catch (RuntimeException | Error e) {
            LOG.warn("a watch stream could not be told that it ends", e);
        }
        hub.post(() -> hub.drop(this));
    }
}
