package io.brain.backend.store;

import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Revisions that compaction must keep readable: the compactor removes nothing that a read at {@link
 * #lowest} or above would see. Thread-safe.
 *
 * <p>Only the sequencer pins revisions: it also orders compactions, so it knows that a revision is
 * not compacted yet.
 */
public final class Pins {
    private final TreeMap<Long, Integer> counts = new TreeMap<>();

    /** Keeps the state at {@code revision} readable until the pin is removed. */
    public synchronized Unpin pin(long revision) {
        counts.merge(revision, 1, Integer::sum);
        AtomicBoolean removed = new AtomicBoolean();
        return () -> {
            if (removed.compareAndSet(false, true)) {
                unpin(revision);
            }
        };
    }

    /** The lowest pinned revision; {@link Long#MAX_VALUE} if there is none. */
    public synchronized long lowest() {
        return counts.isEmpty() ? Long.MAX_VALUE : counts.firstKey();
    }

    private synchronized void unpin(long revision) {
        counts.computeIfPresent(revision, (key, count) -> count == 1 ? null : count - 1);
    }

    /** A pin. */
    @FunctionalInterface
    public interface Unpin {
        /** Removes the pin. Any thread; the second call has no effect. */
        void unpin();
    }
}
