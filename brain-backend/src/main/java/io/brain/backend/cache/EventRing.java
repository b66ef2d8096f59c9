package io.brain.backend.cache;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The newest revisions' events, in memory: bounded in bytes, contiguous, the oldest revision leaves
 * first and as a whole. One thread fills it (the publisher); any thread reads it, and no reader can
 * hold the publisher up.
 *
 * <p>A revision that was published but is too big for memory is kept as a hole, marked {@link
 * RevisionEvents#inLogOnly}: it must be read from the commit log, and so must what has left.
 */
public final class EventRing implements CommitListener {
    /** An event can come to hold two encodings besides its own bytes: all three are counted. */
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
     * @param revision the newest committed revision: the next one is the first to be held
     */
    public EventRing(long bytesMax, long revision) {
        this.bytesMax = bytesMax;
        this.first = revision + 1;
        this.last = revision;
    }

    /**
     * A revision's events; null if it has left, or was never there. May be a hole. Everything up to
     * the committed revision was added, so null then means: read the log.
     */
    public RevisionEvents get(long revision) {
        AtomicReferenceArray<RevisionEvents> held = slots;
        RevisionEvents found = held.get(slot(held, revision));
        return found != null && found.revision() == revision ? found : null;
    }

    /** The oldest revision that is held; {@link #last} + 1 if there is none. */
    public long first() {
        return first;
    }

    /** The newest revision that was added. */
    public long last() {
        return last;
    }

    /** Bytes that are held, counted at their most. */
    public long bytes() {
        return bytes;
    }

    /** What it holds; each figure is right, but they may be of different moments. */
    public RingStats stats() {
        return new RingStats(bytes, bytesMax, first, last, evicted);
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

    /** Nothing to do: a revision is readable here before it is committed. */
    @Override
    public void committed(ReadPoint point) {}

    private void evictFirst() {
        long leaving = first;
        int slot = slot(slots, leaving);
        long held = bytes - weight(slots.get(slot));
        bytes = held;
        long left = evicted + 1;
        evicted = left;
        // Before the slot is emptied: whoever finds it empty must see that the revision has left.
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
