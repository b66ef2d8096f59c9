package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.revision.CommitListener;
import io.brain.backend.revision.ReadPoint;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The newest state of ranges that are listed again and again, so that the next list does not ask
 * the engine, whatever history its keys have. A read that repeats one tells what it found ({@link
 * #learn}); every commit changes what is known, so an answer from here is the one that the engine
 * would give at the same read point.
 *
 * <p>A range is known from the revision of its last change, or of the read that taught it, to the
 * newest one that was told. What was committed while that read was on its way is kept for a while,
 * and done again on what it found.
 *
 * <p>Bounded in bytes on the heap, the least recently listed ranges leave first. Thread-safe:
 * readers look at immutable states and wait for nobody; commits and those who teach share a lock.
 */
public final class NewestRanges implements CommitListener {
    /** A range may take this part of all room. */
    private static final int LARGEST_PART = 4;

    /** Ranges that were asked for lately, and the longest bounds of one, in bytes. */
    private static final int ASKED_MAX = 64;

    private static final int ASKED_BYTES_MAX = 4096;

    /**
     * Revisions that are done again on what was read before them, and the bytes of their events.
     */
    private static final int RECENT_MAX = 1024;

    private static final long RECENT_BYTES_MAX = 1 << 20;

    private final long bytesMax;

    /** By the first key; no two overlap. Changed under the lock. */
    private final ConcurrentSkipListMap<Bytes, Place> places = new ConcurrentSkipListMap<>();

    private final AtomicLong uses = new AtomicLong();

    /** The last ones told, each following the one before. */
    private final ArrayDeque<RevisionEvents> recent = new ArrayDeque<>();

    private long recentBytes;
    private long bytes;

    /** The newest revision that was told: what is published beyond it is not known. */
    private volatile long told;

    /** Guards itself. */
    private final Map<KeySpan, Boolean> asked =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<KeySpan, Boolean> eldest) {
                    return size() > ASKED_MAX;
                }
            };

    /** A range, as it is now, and when it was last asked for. */
    private static final class Place {
        private volatile KnownRange range;
        private volatile long used;

        Place(KnownRange range, long used) {
            this.range = range;
            this.used = used;
        }
    }

    /**
     * Nothing known.
     *
     * @param bytesMax most bytes on the heap
     * @param revision the newest committed revision: the first one that is told of follows it
     */
    public NewestRanges(long bytesMax, long revision) {
        this.bytesMax = bytesMax;
        told = revision;
    }

    /** True if {@code query} asks for the newest state of a range. */
    static boolean covers(RangeQuery query) {
        return !query.span().single()
                && query.revision() <= 0
                && !query.countOnly()
                && !query.span().isEmpty();
    }

    /** True if the answer to {@code query}, unless it is cut off, holds all there is to know. */
    static boolean teaches(RangeQuery query) {
        return covers(query) && !query.keysOnly() && query.filter().equals(RevisionFilter.NONE);
    }

    /** A range's keys at a published revision; null if they are not known here. */
    LiveKeys find(KeySpan span, long revision) {
        // A leader's or follower's first revision may be published before what led to it is told.
        if (told < revision) {
            return null;
        }
        Map.Entry<Bytes, Place> before = places.floorEntry(span.key());
        if (before == null) {
            return null;
        }
        KnownRange range = before.getValue().range;
        if (range.since() > revision || !range.covers(span)) {
            return null;
        }
        before.getValue().used = uses.incrementAndGet();
        return range.keys(span);
    }

    /** True if a range was asked for not long ago: what is listed only once is not kept. */
    boolean isRepeated(KeySpan span) {
        if (span.bytes() > ASKED_BYTES_MAX) {
            return false;
        }
        synchronized (asked) {
            return asked.put(span, true) != null;
        }
    }

    /**
     * All of a range, as it was read.
     *
     * @param kvs encoded KeyValues of its keys, in their order
     * @param revision what was read
     */
    void learn(KeySpan span, PackedKvs kvs, long revision) {
        if (revision > told
                || knows(span)
                || KnownRange.weight(span, kvs.size(), kvs.bytes()) > bytesMax / LARGEST_PART) {
            return;
        }
        KnownRange range = KnownRange.of(span, kvs, revision);
        synchronized (this) {
            if (revision < told - recent.size() || knows(span)) {
                return;
            }
            for (RevisionEvents later : recent) {
                if (later.revision() > revision) {
                    range = changed(range, later);
                }
            }
            if (range.weight() <= bytesMax / LARGEST_PART) {
                put(range);
            }
        }
    }

    private boolean knows(KeySpan span) {
        Map.Entry<Bytes, Place> before = places.floorEntry(span.key());
        return before != null && before.getValue().range.covers(span);
    }

    /** Bytes on the heap. */
    synchronized long bytes() {
        return bytes;
    }

    /** Takes in a revision; one that does not follow the last makes everything unknown. */
    @Override
    public synchronized void events(RevisionEvents events) {
        if (events.revision() != told + 1 || events.inLogOnly()) {
            places.clear();
            bytes = 0;
            recent.clear();
            recentBytes = 0;
            told = events.revision();
            return;
        }
        for (WatchEvent event : events.events()) {
            change(event);
        }
        remember(events);
        told = events.revision();
    }

    @Override
    public void committed(ReadPoint point) {}

    private void change(WatchEvent event) {
        Map.Entry<Bytes, Place> before = places.floorEntry(event.key());
        if (before == null || !before.getValue().range.span().contains(event.key())) {
            return;
        }
        Place place = before.getValue();
        KnownRange range = place.range.with(event);
        bytes += range.weight() - place.range.weight();
        place.range = range;
        if (range.weight() > bytesMax / LARGEST_PART) {
            remove(before.getKey(), place);
        } else {
            evict();
        }
    }

    private static KnownRange changed(KnownRange range, RevisionEvents events) {
        KnownRange now = range;
        for (WatchEvent event : events.events()) {
            if (now.span().contains(event.key())) {
                now = now.with(event);
            }
        }
        return now;
    }

    private void remember(RevisionEvents events) {
        recent.add(events);
        recentBytes += events.weight();
        while (recent.size() > RECENT_MAX || recentBytes > RECENT_BYTES_MAX) {
            recentBytes -= recent.remove().weight();
        }
    }

    /** Puts a range in place of those that overlap it. */
    private void put(KnownRange range) {
        Bytes from = range.span().key();
        Map.Entry<Bytes, Place> first = places.floorEntry(from);
        if (first == null || !first.getValue().range.overlaps(range.span())) {
            first = places.higherEntry(from);
        }
        while (first != null && first.getValue().range.overlaps(range.span())) {
            remove(first.getKey(), first.getValue());
            first = places.higherEntry(first.getKey());
        }
        places.put(range.span().key(), new Place(range, uses.incrementAndGet()));
        bytes += range.weight();
        evict();
    }

    private void remove(Bytes from, Place place) {
        places.remove(from);
        bytes -= place.range.weight();
    }

    private void evict() {
        if (bytes <= bytesMax) {
            return;
        }
        Map<Long, Bytes> byUse = new TreeMap<>();
        places.forEach((from, place) -> byUse.put(place.used, from));
        Iterator<Bytes> eldest = byUse.values().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            Bytes from = eldest.next();
            remove(from, places.get(from));
        }
    }
}
