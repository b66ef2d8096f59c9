package io.brain.backend.read;

import io.brain.backend.cache.BlockTally;
import io.brain.backend.cache.CacheGap;
import io.brain.backend.cache.CacheGap.Part;
import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A walk of the engine over what the cache does not have, which it learns from it. */
final class GapScan implements AutoCloseable {
    private final HeadCache cache;
    private final long revision;
    private final Bytes from;

    /** True if the gap begins below the key that the walk is to begin with. */
    private final boolean beginsBelow;

    private final CacheGap gap;
    private final HeadScan walk;
    private final Iterator<Part> parts;
    private Part part;

    /** True while the walk is on a key that it has shown, and counted. */
    private boolean onKey;

    /** What was seen of the current part, by its use; null: nothing is to be learnt. */
    private BlockTally tally;

    private List<Bytes> keys;
    private List<Bytes> kvs;

    /**
     * A walk over a span, or the first part of it.
     *
     * @param values true if values are read: the cache may keep them then
     */
    GapScan(ReadView view, KeySpan rest, long revision, boolean values) {
        this.cache = view.cache();
        this.revision = revision;
        this.from = rest.key();
        var snapshot = view.snapshot();
        gap = cache.gap(from, rest.end(), revision, values);
        beginsBelow = gap.begin().compareTo(from) < 0;
        KeySpan span = new KeySpan(gap.begin(), gap.end(), false);
        walk = new HeadScan(snapshot, view.coder(), span, revision);
        parts = gap.parts().iterator();
        enter(parts.next());
    }

    /**
     * Steps to the next key; false if there is none, or it is not below {@code bound}. A block that
     * the cache wants is read to its end.
     */
    boolean next(Bytes bound) {
        onKey = false;
        while (walk.next()) {
            while (part.end() != null && walk.compareKey(part.end()) >= 0) {
                finish(part.end());
                enter(parts.next());
            }
            boolean within = bound == null || walk.compareKey(bound) < 0;
            if (!within && (part.use() != Use.HEADS || part.begin().compareTo(bound) >= 0)) {
                return false;
            }
            see();
            if (within && (!beginsBelow || walk.compareKey(from) >= 0)) {
                onKey = true;
                return true;
            }
        }
        finish(part.end());
        while (parts.hasNext()) {
            enter(parts.next());
            finish(part.end());
        }
        return false;
    }

    HeadScan walk() {
        return walk;
    }

    /** The first key behind the gap; null: there is none. */
    Bytes end() {
        return gap.end();
    }

    /** A walk that is given up on a key has counted up to it. */
    @Override
    public void close() {
        if (onKey && tally != null) {
            finish(walk.key().successor());
        }
        walk.close();
    }

    private void enter(Part next) {
        part = next;
        tally = part.use() == Use.COUNT ? cache.tally(part.begin()) : null;
        keys = part.use() == Use.HEADS ? new ArrayList<>() : null;
        kvs = part.use() == Use.HEADS ? new ArrayList<>() : null;
    }

    private void see() {
        if (tally != null) {
            if (tally.isFull()) {
                tally.begin(walk.key());
            }
            tally.count();
        } else if (keys != null) {
            keys.add(walk.key());
            kvs.add(walk.kv());
        }
    }

    /** The current part was walked over up to a key; null: to the last one. */
    private void finish(Bytes to) {
        if (tally != null) {
            cache.learn(tally, to, revision);
        } else if (keys != null) {
            cache.learn(part, keys, kvs, revision);
        }
        tally = null;
        keys = null;
        kvs = null;
    }
}
