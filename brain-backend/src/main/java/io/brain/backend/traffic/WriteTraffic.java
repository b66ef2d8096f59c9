package io.brain.backend.traffic;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Under which prefixes keys change most. Told of every commit; while there are many changes it
 * counts one in {@link #STRIDE} for all of them. Revisions too big for memory are not counted.
 * Thread-safe.
 */
public final class WriteTraffic implements CommitListener {
    private static final int PREFIXES_MAX = 200;
    private static final int STRIDE = 16;

    /** What is counted weighs a third after so long. */
    private static final double FADE_SECONDS = 60;

    private static final long TICK = Duration.ofSeconds(1).toNanos();
    private static final double SECOND = TICK;

    /** Changes in a second from which on not all are counted. */
    private static final long BUSY = 4096;

    /** Changes that are not worth a counter any more. */
    private static final double NONE = 0.01;

    private final Clock clock;
    private final SpaceSaving<Bytes> prefixes = new SpaceSaving<>(PREFIXES_MAX);
    private long faded;

    /** Seconds that were watched, faded as what was counted in them. */
    private double seconds;

    private long changes;
    private int stride = 1;
    private int passed;

    /** Counts from now on. */
    public WriteTraffic(Clock clock) {
        this.clock = clock;
        this.faded = clock.nanos();
    }

    @Override
    public synchronized void events(RevisionEvents revision) {
        List<WatchEvent> events = revision.events();
        changes += events.size();
        passed += events.size();
        // The ones counted are every stride-th of all, wherever revisions end.
        while (passed >= stride) {
            passed -= stride;
            Bytes key = events.get(events.size() - 1 - passed).key();
            prefixes.add(KeyPrefix.of(key), stride);
        }
    }

    @Override
    public void committed(ReadPoint point) {
        fade();
    }

    /** The prefixes that change fastest, at most {@code max}, the fastest first. */
    public synchronized List<PrefixRate> fastest(int max) {
        fade();
        double watched = Math.max(1, seconds + (clock.nanos() - faded) / SECOND);
        return prefixes.all().stream()
                .limit(max)
                .map(c -> new PrefixRate(c.kind(), c.count() / watched, c.error() / watched))
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
