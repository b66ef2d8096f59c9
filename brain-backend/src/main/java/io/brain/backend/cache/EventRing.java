package io.brain.backend.cache;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.CommitListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The events of the newest revisions, without gaps, limited in bytes: the oldest revision is
 * evicted first. One thread, the publisher, adds revisions; any thread reads, without delaying it.
 *
 * <p>A revision too large for memory is kept without events, marked {@link
 * RevisionEvents#inLogOnly}: it must be read from the commit log, like an evicted one.
 */
public final class EventRing implements CommitListener {
    /** An event may keep two encodings besides its own bytes: all three are counted. */
    private static final int FORMS = 3;

    private static final int SLOTS_MIN = 1024;

    private final long bytesMax;

    /** Replaced by a larger array if full. The length is a power of two; low bits are the slot. */
    private volatile AtomicReferenceArray<RevisionEvents> slots =
            new AtomicReferenceArray<>(SLOTS_MIN);

    private volatile long first;
    private volatile long last;
    private volatile long bytes;
    private volatile long evicted;

    /**
     * Content of the ring, for metrics.
     *
     * @param bytes bytes of the events, counted at their most
     * @param bytesMax limit of these bytes
     * @param first the oldest revision
     * @param last the newest revision; less than {@code first} if the ring is empty
     * @param evicted evicted revisions since the start
     */
    public record Stats(long bytes, long bytesMax, long first, long last, long evicted) {}

    /**
     * An empty ring.
     *
     * @param bytesMax limit of heap bytes, including encodings
     * @param revision the newest committed revision; the next one is the first to be added
     */
    public EventRing(long bytesMax, long revision) {
        this.bytesMax = bytesMax;
        this.first = revision + 1;
        this.last = revision;
    }

    /**
     * A revision's events; null if it was evicted or never added. Everything up to the committed
     * revision was added, so null then means that it must be read from the log.
     */
    public RevisionEvents get(long revision) {
        AtomicReferenceArray<RevisionEvents> held = slots;
        RevisionEvents found = held.get(slot(held, revision));
        return found != null && found.revision() == revision ? found : null;
    }

    /** The oldest revision; {@link #last} + 1 if the ring is empty. */
    public long first() {
        return first;
    }

    /** The newest revision that was added. */
    public long last() {
        return last;
    }

    /** Statistics; the figures may be of different moments. */
    public Stats stats() {
        return new Stats(bytes, bytesMax, first, last, evicted);
    }

    /** Adds a revision. One that does not follow the last revision empties the ring first. */
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
        // Before the slot is cleared: a reader of the cleared slot must see the new first revision.
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
