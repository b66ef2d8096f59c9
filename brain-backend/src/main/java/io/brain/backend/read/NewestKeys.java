package io.brain.backend.read;

import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RecentlyUsed;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.revision.CommitListener;
import io.brain.backend.revision.ReadPoint;
import io.brain.storage.Bytes;

/**
 * The newest state of keys that were read lately, so that the next read of them does not ask the
 * engine. Reads tell what they found ({@link #learn}); every commit changes what is known, so an
 * answer from here is the one that the engine would give at the same read point.
 *
 * <p>A read that took long must not bring back what a commit has replaced meanwhile. So it takes a
 * {@link #stamp} before it opens its snapshot, and what it learnt counts only if no commit has
 * touched any key of the same part since.
 *
 * <p>Bounded in bytes on the heap, the least recently read keys leave first. Thread-safe: keys are
 * spread over parts, each with a lock that is held for a look into a map.
 */
public final class NewestKeys implements CommitListener {
    /** No stamp: nothing may be learnt. */
    static final long NONE = -1;

    private static final int PARTS = 64;

    /** What an entry costs besides its bytes: map entry, records, array headers. */
    private static final int OVERHEAD = 184;

    /** An entry may take this part of a lock's room. */
    private static final int LARGEST_PART = 4;

    private final Part[] parts = new Part[PARTS];

    /** The newest revision that is being told: reads below it must not teach. */
    private volatile long telling;

    /**
     * The newest revision that was told, to all parts: what is published beyond it is not known.
     */
    private volatile long told;

    /**
     * Nothing known.
     *
     * @param bytesMax most bytes on the heap
     * @param revision the newest committed revision: the first one that is told of follows it
     */
    public NewestKeys(long bytesMax, long revision) {
        for (int i = 0; i < PARTS; i++) {
            parts[i] = new Part(bytesMax / PARTS);
        }
        telling = revision;
        told = revision;
    }

    /**
     * A key's state.
     *
     * @param since the oldest revision at which it is known to have been so
     * @param kv encoded KeyValue; null if the key does not exist
     */
    record State(long since, Bytes kv) {}

    /** True if {@code query} asks for the newest state of one key as it is. */
    static boolean covers(RangeQuery query) {
        return query.span().single()
                && query.revision() <= 0
                && !query.countOnly()
                && !query.keysOnly()
                && query.filter().equals(RevisionFilter.NONE);
    }

    /** A key's state at a published revision; null if it is not known here. */
    State find(Bytes key, long revision) {
        // A leader's or follower's first revision may be published before what led to it is told.
        if (told < revision) {
            return null;
        }
        State state = part(key).get(key);
        return state != null && state.since() <= revision ? state : null;
    }

    /**
     * To be taken before the snapshot is opened from which a key is read.
     *
     * @param revision what is going to be read
     * @return for {@link #learn}, or {@link #NONE} if newer commits are on their way
     */
    long stamp(Bytes key, long revision) {
        long stamp = part(key).stamp();
        return telling == revision ? stamp : NONE;
    }

    /**
     * A key's state, as it was read.
     *
     * @param kv encoded KeyValue; null if the key does not exist
     * @param revision what was read
     */
    void learn(Bytes key, Bytes kv, long revision, long stamp) {
        if (stamp != NONE) {
            part(key).learn(key, new State(revision, kv), stamp);
        }
    }

    /** Bytes on the heap. */
    long bytes() {
        long bytes = 0;
        for (Part part : parts) {
            bytes += part.bytes();
        }
        return bytes;
    }

    /** Takes in a revision; one that does not follow the last makes everything unknown. */
    @Override
    public void events(RevisionEvents events) {
        boolean follows = events.revision() == told + 1 && !events.inLogOnly();
        telling = events.revision();
        if (follows) {
            for (WatchEvent event : events.events()) {
                Bytes kv = event.isDelete() ? null : event.kv();
                part(event.key()).change(event.key(), new State(events.revision(), kv));
            }
        } else {
            for (Part part : parts) {
                part.clear();
            }
        }
        told = events.revision();
    }

    @Override
    public void committed(ReadPoint point) {}

    private Part part(Bytes key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return parts[hash >>> 26];
    }

    /** The keys of one lock. */
    private static final class Part {
        private final long entryBytesMax;
        private final RecentlyUsed<State> states;
        private long changes;

        Part(long bytesMax) {
            entryBytesMax = bytesMax / LARGEST_PART;
            states = new RecentlyUsed<>(bytesMax);
        }

        synchronized State get(Bytes key) {
            return states.get(key);
        }

        synchronized long stamp() {
            return changes;
        }

        synchronized long bytes() {
            return states.weight();
        }

        synchronized void learn(Bytes key, State state, long stamp) {
            if (stamp == changes) {
                put(key, state);
            }
        }

        /** What nobody has read is not kept for being written. */
        synchronized void change(Bytes key, State state) {
            changes++;
            if (states.contains(key)) {
                put(key, state);
            }
        }

        synchronized void clear() {
            changes++;
            states.clear();
        }

        /** One that fills the part would push out all others, and is not kept. */
        private void put(Bytes key, State state) {
            int value = state.kv() == null ? 0 : state.kv().length();
            long bytes = (long) OVERHEAD + key.length() + value;
            if (bytes <= entryBytesMax) {
                states.put(key, state, bytes);
            } else {
                states.remove(key);
            }
        }
    }
}
