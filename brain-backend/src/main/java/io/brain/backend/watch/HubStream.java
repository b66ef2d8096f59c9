package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
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
final class HubStream implements WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(HubStream.class);

    private final WatchHub hub;
    private final WatchSink sink;
    private final AtomicBoolean readyPosted = new AtomicBoolean();
    private final Map<Long, Watcher> watchers = new LinkedHashMap<>();
    private final Set<Watcher> lagging = new LinkedHashSet<>();
    private ProgressTicker ticker;
    private Watcher reserved;
    private long nextId;
    private boolean ended;
    // True while the stream waits in the ring feed's queue.
    boolean queued;

    HubStream(WatchHub hub, WatchSink sink) {
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
                        send(to -> to.canceled(watchId, hub.committed()));
                    }
                });
    }

    @Override
    public void requestProgress() {
        command(
                () -> {
                    long revision = hub.matchAll();
                    boolean synced =
                            watchers.values().stream()
                                    .allMatch(watcher -> watcher.isSyncedAt(revision));
                    // Dropped if the transport is full, as in etcd: the client asks again.
                    if (synced && !watchers.isEmpty() && sink.isReady()) {
                        send(to -> to.progress(WatchSink.NO_WATCHER, revision));
                    }
                });
    }

    @Override
    public void ready() {
        if (readyPosted.compareAndSet(false, true)) {
            hub.post(
                    () -> {
                        readyPosted.set(false);
                        hub.offer(this);
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

    /** True if an event of this watcher can be sent now. */
    boolean takes(Watcher watcher) {
        return !ended && (reserved == null || reserved == watcher) && sink.isReady();
    }

    /** Until it is released, only this watcher of the stream gets events; the first to ask does. */
    void reserve(Watcher watcher) {
        if (reserved == null) {
            reserved = watcher;
        }
    }

    /** Ends a reservation, if this watcher has it. */
    void release(Watcher watcher) {
        if (reserved == watcher) {
            reserved = null;
            hub.offer(this);
        }
    }

    /** The watcher to feed next from the ring; null if there is none. */
    Watcher nextLagging() {
        if (reserved != null) {
            return lagging.contains(reserved) ? reserved : null;
        }
        return lagging.isEmpty() ? null : lagging.iterator().next();
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

    /** Sends events; the transport must be ready. */
    void events(Watcher watcher, long revision, List<WatchEvent> events) {
        watcher.quiet = false;
        hub.countEvents(events.size());
        WatchRequest request = watcher.request;
        send(to -> to.events(watcher.id, revision, events, request.prevKv(), request.fragment()));
    }

    void compacted(Watcher watcher, long floor) {
        send(to -> to.compacted(watcher.id, floor));
    }

    /** The stream begins; its ticker just did. */
    void start(ProgressTicker progressTicker) {
        ticker = progressTicker;
    }

    /** Ends all watchers without a word; nothing is sent from here on. */
    void end() {
        ended = true;
        if (ticker != null) {
            ticker.close();
        }
        watchers.values().forEach(hub::end);
        watchers.clear();
    }

    /** Ends all watchers with an error. */
    void fail(BackendException cause) {
        send(to -> to.failed(cause));
        end();
    }

    /** Like {@link #fail}, when the hub has forgotten all watchers already. */
    void abandon(BackendException cause) {
        watchers.values().forEach(watcher -> watcher.state = Watcher.State.ENDED);
        watchers.clear();
        lagging.clear();
        fail(cause);
    }

    /** A client's call: nothing of it happens once the stream has ended. */
    private void command(Runnable action) {
        hub.post(
                () -> {
                    if (!ended) {
                        action.run();
                        send(WatchSink::taken);
                    }
                });
    }

    private void register(WatchRequest request) {
        if (request.startRevision() < 0) {
            send(to -> to.refused(hub.committed(), Refusal.NEGATIVE_REVISION));
        } else if (request.span().isEmpty()) {
            send(to -> to.refused(hub.committed(), Refusal.EMPTY_RANGE));
        } else if (request.watchId() != 0 && watchers.containsKey(request.watchId())) {
            send(to -> to.refused(hub.committed(), Refusal.DUPLICATE_ID));
        } else if (hub.hasRoom(this, request)) {
            Watcher watcher = hub.watcher(this, idOf(request), request);
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
        send(to -> to.created(watcher.id, hub.committed()));
        if (!past) {
            watcher.next = Math.max(start, current + 1);
            hub.live(watcher);
        } else if (start < hub.floor()) {
            hub.compacted(watcher, hub.floor());
        } else {
            watcher.replaying = true;
            hub.lag(watcher, Math.max(start, CommitLogReader.REVISION_MIN));
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
                if (watcher.quiet && watcher.isSyncedAt(revision) && sink.isReady()) {
                    send(to -> to.progress(watcher.id, revision));
                }
                watcher.quiet = true;
            }
        }
        if (wanted) {
            ticker.arm(this::tick);
        }
    }

    /** A sink that throws loses its stream; the others do not notice. */
    private void send(Consumer<WatchSink> response) {
        if (ended) {
            return;
        }
        try {
            response.accept(sink);
        } catch (RuntimeException e) {
            LOG.warn("a watch stream ends: its transport failed", e);
            ended = true;
            hub.post(() -> hub.drop(this));
        }
    }
}
