package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Who watches what, at one moment.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param behind unsynced ones of them
 * @param committed the committed revision
 * @param spans the most watched keys, in that order
 * @param slowest unsynced watchers, the one farthest behind first
 */
public record WatchCensus(
        int streams,
        int watchers,
        int behind,
        long committed,
        List<Span> spans,
        List<Slow> slowest) {
    /** Of more watchers, one counts for several. */
    private static final int COUNTED_MAX = 10_000;

    /**
     * Watched keys.
     *
     * @param watchers of exactly these keys; an estimate if there are very many
     */
    public record Span(KeySpan keys, int watchers) {}

    /**
     * An unsynced watcher.
     *
     * @param next the first revision that it has not been sent
     */
    public record Slow(long watchId, KeySpan keys, Need waitsFor, long next) {}

    /** What an unsynced watcher needs. */
    public enum Need {
        /** The client: its transport takes no more. */
        CLIENT,
        /** Its turn to be fed from the event ring. */
        TURN,
        /** The commit log. */
        LOG;

        private static Need of(Watcher watcher) {
            if (!watcher.output.isReady()) {
                return CLIENT;
            }
            return watcher.state == Watcher.State.RING ? TURN : LOG;
        }
    }

    /**
     * Counts watchers by their keys.
     *
     * @param stats of the same moment
     * @param listed most spans, and most slow watchers, that are listed
     */
    static WatchCensus of(
            Collection<Watcher> watchers, WatchStats stats, long committed, int listed) {
        int step = Math.max(1, (watchers.size() + COUNTED_MAX - 1) / COUNTED_MAX);
        int seen = 0;
        Map<KeySpan, Integer> spans = new HashMap<>();
        PriorityQueue<Slow> slowest =
                new PriorityQueue<>(Comparator.comparingLong(Slow::next).reversed());
        for (Watcher watcher : watchers) {
            KeySpan span = watcher.request.span();
            if (seen++ % step == 0) {
                spans.merge(span, step, Integer::sum);
            }
            if (watcher.isUnsynced()) {
                slowest.add(new Slow(watcher.id, span, Need.of(watcher), watcher.next));
                if (slowest.size() > listed) {
                    slowest.remove();
                }
            }
        }
        return new WatchCensus(
                stats.streams(),
                watchers.size(),
                stats.lagging(),
                committed,
                spans.entrySet().stream()
                        .sorted(Map.Entry.<KeySpan, Integer>comparingByValue().reversed())
                        .limit(listed)
                        .map(entry -> new Span(entry.getKey(), entry.getValue()))
                        .toList(),
                slowest.stream().sorted(Comparator.comparingLong(Slow::next)).toList());
    }
}
