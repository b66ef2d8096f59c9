package io.brain.backend.store;

import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Revisions that somebody still has to read, whatever is compacted meanwhile. The compactor removes
 * nothing that a reader at {@link #lowest} or above would see. Thread-safe.
 *
 * <p>Whoever pins a revision must know that it is not compacted: the sequencer does, because
 * compactions are decided there too.
 */
public final class Pins {
    private final TreeMap<Long, Integer> counts = new TreeMap<>();

    /** Keeps the state at {@code revision} readable until the pin is taken out. */
    public synchronized Unpin pin(long revision) {
        counts.merge(revision, 1, Integer::sum);
        AtomicBoolean out = new AtomicBoolean();
        return () -> {
            if (out.compareAndSet(false, true)) {
                unpin(revision);
            }
        };
    }

    /** The lowest revision that is pinned; {@link Long#MAX_VALUE} if none is. */
    public synchronized long lowest() {
        return counts.isEmpty() ? Long.MAX_VALUE : counts.firstKey();
    }

    private synchronized void unpin(long revision) {
        counts.computeIfPresent(revision, (key, count) -> count == 1 ? null : count - 1);
    }

    /** Takes a pin out; any thread, and the second call does nothing. */
    @FunctionalInterface
    public interface Unpin {
        /** Takes the pin out. */
        void unpin();
    }
}
