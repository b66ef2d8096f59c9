package io.brain.backend.traffic;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.CommitListener;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Counts changes by prefix. Of many changes it counts one in {@link #STRIDE}, times as much.
 * Revisions too large for memory are not counted. Thread-safe.
 */
public final class WriteTraffic implements CommitListener {
    private static final int PREFIXES_MAX = 200;
    private static final int STRIDE = 16;

    /** Time after which a count has faded to about a third. */
    private static final double FADE_SECONDS = 60;

    private static final long TICK = Duration.ofSeconds(1).toNanos();
    private static final double SECOND = TICK;

    /** Changes per second above which only samples are counted. */
    private static final long BUSY = 4096;

    /** A count below this is dropped. */
    private static final double NONE = 0.01;

    private final Clock clock;
    private final SpaceSaving<Bytes> prefixes = new SpaceSaving<>(PREFIXES_MAX);
    private long faded;

    /** Seconds of counting, faded like the counts. */
    private double seconds;

    private long changes;
    private int stride = 1;
    private int passed;

    /** Begins to count. */
    public WriteTraffic(Clock clock) {
        this.clock = clock;
        this.faded = clock.nanos();
    }

    @Override
    public synchronized void events(RevisionEvents revision) {
        fade();
        List<WatchEvent> events = revision.events();
        changes += events.size();
        passed += events.size();
        // Counts every stride-th change, across revisions.
        while (passed >= stride) {
            passed -= stride;
            Bytes key = events.get(events.size() - 1 - passed).key();
            prefixes.add(KeyPrefix.of(key), stride);
        }
    }

    /** The prefixes with the most changes per second, at most {@code max}, in that order. */
    public synchronized List<PrefixRate> fastest(int max) {
        fade();
        double counted = Math.max(1, seconds + (clock.nanos() - faded) / SECOND);
        return prefixes.all().stream()
                .limit(max)
                .map(c -> new PrefixRate(c.key(), c.count() / counted, c.error() / counted))
                .toList();
    }

    private synchronized void fade() {
        long now = clock.nanos();
        if (now - faded < TICK) {
            return;
        }
        double past = (now - faded) / SECOND;
        double factor = Math.exp(-past / FADE_SECONDS);
        prefixes.fade(factor, NONE);
        seconds = seconds * factor + FADE_SECONDS * (1 - factor);
        stride = changes > BUSY * past ? STRIDE : 1;
        changes = 0;
        passed = 0;
        faded = now;
    }
}
