package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * What is watched, at one moment.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param unsynced unsynced watchers
 * @param committed the committed revision
 * @param spans keys with the most watchers, most watched first
 * @param slowest unsynced watchers, in order of their next revisions
 */
public record WatcherSummary(
        int streams,
        int watchers,
        int unsynced,
        long committed,
        List<Span> spans,
        List<Slow> slowest) {
    /** Limit of counted spans: with more watchers, each counted one stands for several. */
    private static final int COUNTED_MAX = 10_000;

    /** Copies the lists. */
    public WatcherSummary {
        spans = List.copyOf(spans);
        slowest = List.copyOf(slowest);
    }

    /**
     * Watched keys.
     *
     * @param watchers watchers of exactly these keys; an estimate if the node has very many
     */
    public record Span(KeySpan keys, int watchers) {}

    /**
     * An unsynced watcher.
     *
     * @param next first revision that was not sent to it
     */
    public record Slow(long watchId, KeySpan keys, Need waitsFor, long next) {
        private static Slow of(Watcher watcher) {
            return new Slow(watcher.id, watcher.request.span(), Need.of(watcher), watcher.next);
        }
    }

    /** What an unsynced watcher waits for. */
    public enum Need {
        /** The client: its transport is full. */
        CLIENT,
        /** Its turn. */
        TURN,
        /** The commit log. */
        LOG;

        private static Need of(Watcher watcher) {
            if (!watcher.stream.isReady()) {
                return CLIENT;
            }
            return watcher.state == Watcher.State.RING ? TURN : LOG;
        }
    }

    /**
     * Summarizes all watchers, on the hub's thread.
     *
     * @param listed limit of spans, and of slow watchers, to list
     */
    static WatcherSummary of(Watchers watchers, long committed, int listed) {
        int step = Math.max(1, (watchers.size() + COUNTED_MAX - 1) / COUNTED_MAX);
        int position = 0;
        Map<KeySpan, Integer> spans = new HashMap<>();
        PriorityQueue<Slow> slow =
                new PriorityQueue<>(Comparator.comparingLong(Slow::next).reversed());
        for (OpenStream stream : watchers.streams()) {
            for (Watcher watcher : stream.watchers.values()) {
                if (position++ % step == 0) {
                    spans.merge(watcher.request.span(), step, Integer::sum);
                }
                if (watcher.isUnsynced()) {
                    slow.add(Slow.of(watcher));
                    if (slow.size() > listed) {
                        slow.remove();
                    }
                }
            }
        }
        return new WatcherSummary(
                watchers.streams().size(),
                watchers.size(),
                watchers.unsynced(),
                committed,
                spans.entrySet().stream()
                        .sorted(Map.Entry.<KeySpan, Integer>comparingByValue().reversed())
                        .limit(listed)
                        .map(span -> new Span(span.getKey(), span.getValue()))
                        .toList(),
                slow.stream().sorted(Comparator.comparingLong(Slow::next)).toList());
    }
}
