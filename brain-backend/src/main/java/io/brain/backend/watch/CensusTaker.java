package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import io.brain.backend.watch.WatchCensus.Need;
import io.brain.backend.watch.WatchCensus.Slow;
import io.brain.backend.watch.WatchCensus.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Counts watchers by what they watch, on the hub's thread: looks at each, but takes down no more
 * than {@link #NOTED_MAX}.
 */
final class CensusTaker {
    /** Where there are more watchers, each that is taken down stands for several. */
    private static final int NOTED_MAX = 10_000;

    private final int listed;
    private final int step;
    private final Map<KeySpan, Integer> spans = new HashMap<>();
    private final PriorityQueue<Slow> slow =
            new PriorityQueue<>(Comparator.comparingLong(Slow::next).reversed());
    private int met;

    private CensusTaker(int watchers, int listed) {
        this.listed = listed;
        this.step = Math.max(1, (watchers + NOTED_MAX - 1) / NOTED_MAX);
    }

    /**
     * Takes a census.
     *
     * @param stats of the same moment
     * @param listed most spans, and most slow watchers, that it names
     */
    static WatchCensus take(
            Collection<ServerWatchStream> streams, WatchStats stats, long committed, int listed) {
        CensusTaker taker = new CensusTaker(stats.watchers(), listed);
        for (ServerWatchStream stream : streams) {
            stream.watchers().forEach(taker::meet);
        }
        return new WatchCensus(
                stats.streams(),
                stats.watchers(),
                stats.lagging(),
                committed,
                taker.mostWatched(),
                taker.slowest());
    }

    private void meet(Watcher watcher) {
        if (met++ % step == 0) {
            spans.merge(watcher.request.span(), step, Integer::sum);
        }
        if (watcher.isBehind()) {
            slow.add(new Slow(watcher.id, watcher.request.span(), need(watcher), watcher.next));
            if (slow.size() > listed) {
                slow.remove();
            }
        }
    }

    private static Need need(Watcher watcher) {
        if (!watcher.stream.isReady()) {
            return Need.CLIENT;
        }
        return watcher.state == Watcher.State.LAGGING ? Need.TURN : Need.LOG;
    }

    private List<Span> mostWatched() {
        return spans.entrySet().stream()
                .sorted(Map.Entry.<KeySpan, Integer>comparingByValue().reversed())
                .limit(listed)
                .map(entry -> new Span(entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<Slow> slowest() {
        List<Slow> slowest = new ArrayList<>(slow);
        slowest.sort(Comparator.comparingLong(Slow::next));
        return slowest;
    }
}
