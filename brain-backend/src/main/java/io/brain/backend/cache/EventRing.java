package io.brain.backend.cache;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.CommitListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The events of the newest revisions in memory: contiguous, bounded in bytes; the oldest revision
 * is evicted first and completely. The publisher fills it; any thread reads it, without locks.
 *
 * <p>A revision that is too large for memory is kept as a hole, marked {@link
 * RevisionEvents#inLogOnly}: like evicted ones, it must be read from the commit log.
 */
public final class EventRing implements CommitListener {
    /** An event may hold two encodings in addition to its own bytes; all three are counted. */
    private static final int FORMS = 3;

    private static final int SLOTS_MIN = 1024;

    private final long bytesMax;
    // Grown by replacement; its length is a power of two, a revision's slot is its low bits.
    private volatile AtomicReferenceArray<RevisionEvents> slots =
            new AtomicReferenceArray<>(SLOTS_MIN);
    private volatile long first;
    private volatile long last;
    private volatile long bytes;
    private volatile long evicted;

    /**
     * An empty ring.
     *
     * @param bytesMax most bytes on the heap, encodings included
     * @param revision the newest committed revision; the next one is the first to be added
     */
    public EventRing(long bytesMax, long revision) {
        this.bytesMax = bytesMax;
        this.first = revision + 1;
        this.last = revision;
    }

    /**
     * A revision's events, which may be a hole; null if it was evicted or never added. Everything
     * up to the committed revision has been added, so null then means: read the log.
     */
    public RevisionEvents get(long revision) {
        AtomicReferenceArray<RevisionEvents> now = slots;
        RevisionEvents found = now.get(slot(now, revision));
        return found != null && found.revision() == revision ? found : null;
    }

    /** A revision's events; null if they must be read from the log. */
    public RevisionEvents find(long revision) {
        RevisionEvents events = get(revision);
        return events == null || events.inLogOnly() ? null : events;
    }

    /** The oldest revision here; {@link #last} + 1 if there is none. */
    public long first() {
        return first;
    }

    /** The newest revision that was added. */
    public long last() {
        return last;
    }

    /**
     * Contents of the ring, for metrics.
     *
     * @param bytes of the events, with all encodings
     * @param first the oldest revision
     * @param last the newest revision; less than {@code first} if the ring is empty
     * @param evicted revisions evicted since the start
     */
    public record Stats(long bytes, long bytesMax, long first, long last, long evicted) {}

    /** Figures that may be of different moments. */
    public Stats stats() {
        return new Stats(bytes, bytesMax, first, last, evicted);
    }

    /** Adds the next revision. A revision that does not follow the last one empties the ring. */
    @Override
    public void events(RevisionEvents events) {
        long revision = events.revision();
        assert revision > last : "revision " + revision + " was added after " + last;
        RevisionEvents added = events;
        if (weight(added) > bytesMax) {
            added = new RevisionEvents(revision, List.of(), true);
        }
        boolean follows = revision == last + 1;
        while (first <= last && (!follows || bytes + weight(added) > bytesMax)) {
            evictFirst();
        }
        if (!follows) {
            first = revision;
        }
        if (revision - first == slots.length()) {
            grow();
        }
        slots.set(slot(slots, revision), added);
        long held = bytes + weight(added);
        bytes = held;
        last = revision;
    }

    private void evictFirst() {
        long leaving = first;
        int slot = slot(slots, leaving);
        long held = bytes - weight(slots.get(slot));
        bytes = held;
        long left = evicted + 1;
        evicted = left;
        // First: a reader that finds the slot empty must see that the revision was evicted.
        first = leaving + 1;
        slots.set(slot, null);
    }

    private void grow() {
        AtomicReferenceArray<RevisionEvents> larger =
                new AtomicReferenceArray<>(2 * slots.length());
        for (long revision = first; revision <= last; revision++) {
            larger.setPlain(slot(larger, revision), slots.get(slot(slots, revision)));
        }
        slots = larger;
    }

    private static int slot(AtomicReferenceArray<RevisionEvents> slots, long revision) {
        return (int) (revision & (slots.length() - 1));
    }

    private static long weight(RevisionEvents events) {
        return FORMS * events.weight();
    }
}
