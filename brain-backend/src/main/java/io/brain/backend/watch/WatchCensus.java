package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import java.util.List;

/**
 * Who watches what, at one moment.
 *
 * @param streams open streams
 * @param watchers their watchers
 * @param behind how many of them have not caught up
 * @param committed the revision that they would have caught up with
 * @param spans the keys that most watch, the most watched first
 * @param slowest watchers that are behind, the one that is farthest behind first
 */
public record WatchCensus(
        int streams,
        int watchers,
        int behind,
        long committed,
        List<Span> spans,
        List<Slow> slowest) {
    /** Copies the lists. */
    public WatchCensus {
        spans = List.copyOf(spans);
        slowest = List.copyOf(slowest);
    }

    /**
     * Keys that are watched.
     *
     * @param watchers of exactly these; an estimate if the node has very many
     */
    public record Span(KeySpan keys, int watchers) {}

    /**
     * A watcher that has not caught up.
     *
     * @param waitsFor what it needs to go on
     * @param next the first revision that it was not told
     */
    public record Slow(long watchId, KeySpan keys, Need waitsFor, long next) {}

    /** What a watcher that is behind needs. */
    public enum Need {
        /** The client: its transport takes no more. */
        CLIENT,
        /** Its turn. */
        TURN,
        /** The commit log. */
        LOG
    }
}
