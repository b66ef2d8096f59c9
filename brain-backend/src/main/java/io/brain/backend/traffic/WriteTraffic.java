package io.brain.backend.traffic;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.CommitListener;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * Counts changes by key prefix. Under load one change in {@link #STRIDE} stands for all; revisions
 * too large for memory are not counted. Thread-safe.
 */
public final class WriteTraffic implements CommitListener {
    private static final int PREFIXES_MAX = 200;
    private static final int STRIDE = 16;

    /** Time after which counts have decayed to 1/e. */
    private static final double FADE_SECONDS = 60;

    private static final long TICK = Duration.ofSeconds(1).toNanos();
    private static final double SECOND = TICK;

    /** Changes per second above which changes are sampled. */
    private static final long BUSY = 4096;

    /** Decayed counts below this are removed. */
    private static final double NONE = 0.01;

    private final Clock clock;
    private final SpaceSaving<Bytes> prefixes = new SpaceSaving<>(PREFIXES_MAX);
    private long faded;

    /** Observed seconds, decayed like the counts. */
    private double seconds;

    private long changes;
    private int stride = 1;
    private int passed;

    /**
     * Rate of changes of the keys with a prefix.
     *
     * @param prefix see {@link KeyPrefix}
     * @param perSecond average of the last minutes, weighted towards the last one
     * @param errorPerSecond maximum overestimate
     */
    public record PrefixRate(Bytes prefix, double perSecond, double errorPerSecond) {}

    /** Creates empty counts. */
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
        // Every stride-th change, across revisions.
        while (passed >= stride) {
            passed -= stride;
            Bytes key = events.get(events.size() - 1 - passed).key();
            prefixes.add(KeyPrefix.of(key), stride);
        }
    }

    /** The prefixes with the most changes per second, highest rate first. */
    public synchronized List<PrefixRate> fastest(int max) {
        fade();
        double watched = Math.max(1, seconds + (clock.nanos() - faded) / SECOND);
        return prefixes.all().stream()
                .limit(max)
                .map(c -> new PrefixRate(c.item(), c.count() / watched, c.error() / watched))
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
