package io.brain.backend.write;

import io.brain.backend.store.Store;
import io.brain.storage.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Requests that wait for the keys of a wide span, and the one walk that is made for the first of
 * them. One at a time: what a walk finds is held in memory until its request was evaluated.
 * Sequencer thread only, but for the reading.
 */
final class SpanPrefetcher {
    private final PendingState tip;
    private final Store store;
    private final WriteSettings settings;
    private final Executor readers;
    private final Consumer<Runnable> signal;

    /** Oldest first; bounded by the requests that may be pending. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** The walks made for the first of them. */
    private final List<SpanScan> walks = new ArrayList<>(1);

    private boolean ready;

    private record Waiting(Request<?> request, WideSpan wide) {}

    /**
     * Nothing waits.
     *
     * @param signal brings the end of a reading to the sequencer thread
     */
    SpanPrefetcher(
            PendingState tip,
            Store store,
            WriteSettings settings,
            Executor readers,
            Consumer<Runnable> signal) {
        this.tip = tip;
        this.store = store;
        this.settings = settings;
        this.readers = readers;
        this.signal = signal;
    }

    /** Has {@code request} wait until the span was walked; if it is the first, with a new walk. */
    void add(Request<?> request, WideSpan wide) {
        if (ready() == request) {
            begin(wide);
            return;
        }
        waiting.add(new Waiting(request, wide));
        if (waiting.size() == 1) {
            begin(wide);
        }
    }

    /** The request whose walks are done; null if there is none. */
    Request<?> ready() {
        return ready ? waiting.peek().request : null;
    }

    /** What was walked for a request. */
    List<SpanScan> walksOf(Request<?> request) {
        return ready() == request ? walks : List.of();
    }

    /** The {@link #ready} request was evaluated to the end. */
    void evaluated() {
        waiting.poll();
        forget();
        if (!waiting.isEmpty()) {
            begin(waiting.peek().wide);
        }
    }

    /** Gives up all of it. */
    List<Request<?>> giveUp() {
        List<Request<?>> given = new ArrayList<>();
        waiting.forEach(one -> given.add(one.request));
        waiting.clear();
        forget();
        return given;
    }

    private void forget() {
        ready = false;
        walks.forEach(tip::forget);
        walks.clear();
    }

    private void begin(WideSpan wide) {
        ready = false;
        SpanScan walk =
                new SpanScan(wide.span(), settings.txnChangesMax(), settings.replacedBytesMax());
        walks.add(walk);
        tip.note(walk);
        Request<?> request = waiting.peek().request;
        try {
            readers.execute(() -> read(request, walk));
        } catch (RejectedExecutionException busy) {
            ended(request, walk, false);
        }
    }

    private void read(Request<?> request, SpanScan walk) {
        boolean done = false;
        try {
            walk.read(store);
            done = true;
        } catch (StorageException unreadable) {
            // The request will find out by itself, and fail alone.
        } finally {
            boolean whole = done;
            signal.accept(() -> ended(request, walk, whole));
        }
    }

    private void ended(Request<?> request, SpanScan walk, boolean whole) {
        if (!walks.contains(walk)) {
            return;
        }
        ready = true;
        if (!whole || walks.stream().anyMatch(SpanScan::isOverrun)) {
            // It does all its reading on the sequencer then, and fails by itself if that fails.
            request.walkInPlace();
            walks.forEach(tip::forget);
            walks.clear();
        }
    }
}
