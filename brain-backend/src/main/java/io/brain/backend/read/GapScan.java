package io.brain.backend.read;

import io.brain.backend.cache.BlockTally;
import io.brain.backend.cache.CacheGap;
import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Scans adjacent gaps of the cache in the engine, and adds what it finds to the cache. */
final class GapScan implements AutoCloseable {
    private final HeadCache cache;
    private final long revision;
    private final Bytes from;
    private final Bytes end;

    /** True if the first gap starts before {@code from}. */
    private final boolean startsBefore;

    private final HeadScan scan;
    private final Iterator<CacheGap> gaps;
    private CacheGap gap;

    /** True if the current key was returned, and counted. */
    private boolean onKey;

    /** What the cache learns from the current gap: a tally, all heads, or nothing (null). */
    private BlockTally tally;

    private List<Bytes> keys;
    private List<Bytes> kvs;

    /**
     * Scans the beginning of a span, up to the next cached block.
     *
     * @param values true if values are read, so that the cache can have them
     */
    GapScan(ReadView view, KeySpan span, long revision, boolean values) {
        this.cache = view.cache();
        this.revision = revision;
        this.from = span.key();
        var snapshot = view.snapshot();
        List<CacheGap> adjacent = cache.gaps(from, span.end(), revision, values);
        Bytes start = adjacent.get(0).start();
        end = adjacent.get(adjacent.size() - 1).end();
        startsBefore = start.compareTo(from) < 0;
        scan = new HeadScan(snapshot, view.coder(), new KeySpan(start, end, false), revision);
        gaps = adjacent.iterator();
        enter(gaps.next());
    }

    /** Moves to the next key below {@code bound}; false if there is none. */
    boolean next(Bytes bound) {
        onKey = false;
        while (scan.next()) {
            while (gap.end() != null && scan.compareKey(gap.end()) >= 0) {
                finish(gap.end());
                enter(gaps.next());
            }
            boolean within = bound == null || scan.compareKey(bound) < 0;
            // A block whose heads the cache wants is read to its end.
            if (!within && (gap.use() != Use.HEADS || gap.start().compareTo(bound) >= 0)) {
                return false;
            }
            collect();
            if (within && (!startsBefore || scan.compareKey(from) >= 0)) {
                onKey = true;
                return true;
            }
        }
        finish(gap.end());
        while (gaps.hasNext()) {
            enter(gaps.next());
            finish(gap.end());
        }
        return false;
    }

    /** The current key. */
    HeadScan scan() {
        return scan;
    }

    /** Exclusive end of the gaps; null: none. */
    Bytes end() {
        return end;
    }

    @Override
    public void close() {
        if (onKey && tally != null) {
            finish(scan.key().successor()); // counted up to the current key
        }
        scan.close();
    }

    private void enter(CacheGap next) {
        gap = next;
        tally = gap.use() == Use.COUNT ? cache.tally(gap.start()) : null;
        keys = gap.use() == Use.HEADS ? new ArrayList<>() : null;
        kvs = gap.use() == Use.HEADS ? new ArrayList<>() : null;
    }

    private void collect() {
        if (tally != null) {
            if (tally.isFull()) {
                tally.begin(scan.key());
            }
            tally.count();
        } else if (keys != null) {
            keys.add(scan.key());
            kvs.add(scan.kv());
        }
    }

    /** The current gap was scanned up to a key; null: to the end of all keys. */
    private void finish(Bytes to) {
        if (tally != null) {
            cache.learn(tally, to, revision);
        } else if (keys != null) {
            cache.learn(gap, keys, kvs, revision);
        }
        tally = null;
        keys = null;
        kvs = null;
    }
}
