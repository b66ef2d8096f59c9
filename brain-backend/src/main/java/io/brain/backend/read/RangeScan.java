package io.brain.backend.read;

import io.brain.backend.cache.BlockTally;
import io.brain.backend.cache.CacheGap;
import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.CachedHeads;
import io.brain.backend.cache.HeadCache;
import io.brain.backend.cache.HeadCache.CountedRange;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * The keys of a span that exist at a revision: cached blocks, and scans of the engine for the gaps
 * between them, which add their results to the cache. {@link #countRest} skips keys that the cache
 * has counted.
 */
final class RangeScan implements KeyIterator {
    private final ReadView view;
    private final HeadCache cache;
    private final KeySpan span;
    private final long revision;
    private final boolean values;

    /** Start of the current or next part: a cached block, or a scan of adjacent gaps. */
    private Bytes from;

    /** Exclusive end of the range; null: none. */
    private Bytes bound;

    private boolean ended;

    /** The current block and the index of the current key; null if there is none. */
    private CachedHeads heads;

    private int index;

    /** The current scan of the engine; null if there is none. */
    private HeadScan scan;

    private List<CacheGap> gaps;
    private Iterator<CacheGap> nextGaps;
    private CacheGap gap;

    /** True if the current gap starts before {@code from}. */
    private boolean startsBefore;

    /** True if the current key of the scan was returned, and counted. */
    private boolean onKey;

    /** What the cache learns from the current gap: a tally, all heads, or nothing (null). */
    private BlockTally tally;

    private List<Bytes> keys;
    private List<Bytes> kvs;

    /** Bytes of both. */
    private long bytes;

    /**
     * A scan that has not started.
     *
     * @param values true if values are read, so that the cache can have them
     */
    RangeScan(ReadView view, KeySpan span, long revision, boolean values) {
        this.view = view;
        this.cache = view.cache();
        this.span = span;
        this.revision = revision;
        this.values = values;
        this.from = span.key();
        this.bound = span.end();
    }

    @Override
    public boolean next() {
        while (!ended) {
            if (heads != null) {
                if (++index < heads.size() && isWithinBound(heads.key(index))) {
                    return true;
                }
                continueAt(heads.end());
            } else if (scan != null) {
                if (nextOfScan()) {
                    return true;
                }
                continueAt(gaps.get(gaps.size() - 1).end());
            } else if (isWithinBound(from)) {
                open();
            } else {
                ended = true;
            }
        }
        return false;
    }

    @Override
    public Bytes key() {
        return heads != null ? heads.key(index) : scan.key();
    }

    @Override
    public long modRevision() {
        return heads != null ? heads.modRevision(index) : scan.modRevision();
    }

    @Override
    public Bytes kv() {
        return heads != null ? heads.kv(index) : scan.kv();
    }

    @Override
    public int addKv(PackedKvs packed) {
        return heads != null ? packed.append(heads.kv(index)) : scan.addKv(packed);
    }

    @Override
    public int addBareKv(PackedKvs packed) {
        return heads != null ? KeyIterator.super.addBareKv(packed) : scan.addBareKv(packed);
    }

    @Override
    public long countRest(ReadQuota quota) {
        if (ended) {
            return 0;
        }
        Bytes rest = heads != null || scan != null ? key().successor() : span.key();
        long count = 0;
        while (true) {
            CountedRange counted = cache.counted(rest, span.end(), revision);
            bound = counted == null ? span.end() : counted.from();
            if (!rest.equals(bound)) {
                count += KeyIterator.super.countRest(quota);
            }
            if (counted == null) {
                return count;
            }
            count += counted.keys();
            if (Objects.equals(counted.to(), span.end())) {
                return count;
            }
            rest = counted.to();
            continueAt(rest);
        }
    }

    @Override
    public void close() {
        continueAt(null);
    }

    private void open() {
        heads = cache.heads(from, revision);
        if (heads != null) {
            index = heads.indexFrom(from) - 1;
            return;
        }
        var snapshot = view.snapshot();
        gaps = cache.gaps(from, span.end(), revision, values);
        KeySpan all = new KeySpan(gaps.get(0).start(), gaps.get(gaps.size() - 1).end(), false);
        scan = new HeadScan(snapshot, view.coder(), all, revision);
        nextGaps = gaps.iterator();
        enter(nextGaps.next());
    }

    /** Leaves the current block or scan; {@code next} is null at the end of all keys. */
    private void continueAt(Bytes next) {
        heads = null;
        if (scan != null) {
            if (onKey && tally != null) {
                learn(scan.key().successor()); // counted up to the current key
            }
            scan.close();
            scan = null;
        }
        from = next;
        ended = next == null;
    }

    private boolean nextOfScan() {
        onKey = false;
        while (scan.next()) {
            while (gap.end() != null && scan.compareKey(gap.end()) >= 0) {
                learn(gap.end());
                enter(nextGaps.next());
            }
            boolean within = bound == null || scan.compareKey(bound) < 0;
            // A block whose heads the cache takes is read to its end.
            if (!within && (keys == null || gap.start().compareTo(bound) >= 0)) {
                return false;
            }
            collect();
            if (within && (!startsBefore || scan.compareKey(from) >= 0)) {
                onKey = true;
                return true;
            }
        }
        learn(gap.end());
        while (nextGaps.hasNext()) {
            enter(nextGaps.next());
            learn(gap.end());
        }
        return false;
    }

    private void enter(CacheGap next) {
        gap = next;
        startsBefore = gap.start().compareTo(from) < 0;
        tally = gap.use() == Use.COUNT ? cache.tally(gap.start()) : null;
        keys = gap.use() == Use.HEADS ? new ArrayList<>() : null;
        kvs = gap.use() == Use.HEADS ? new ArrayList<>() : null;
        bytes = 0;
    }

    private void collect() {
        if (tally != null) {
            if (tally.isFull()) {
                tally.begin(scan.key());
            }
            tally.count();
        } else if (keys != null) {
            Bytes key = scan.key();
            Bytes kv = scan.kv();
            bytes += key.length() + kv.length();
            if (cache.allows(bytes)) {
                keys.add(key);
                kvs.add(kv);
            } else {
                keys = null;
                kvs = null;
            }
        }
    }

    /** Adds the current gap to the cache; it was scanned up to a key (null: to the last key). */
    private void learn(Bytes to) {
        if (tally != null) {
            cache.learn(tally, to, revision);
        } else if (keys != null) {
            cache.learn(gap, keys, kvs, revision);
        }
        tally = null;
        keys = null;
        kvs = null;
    }

    private boolean isWithinBound(Bytes key) {
        return bound == null || key.compareTo(bound) < 0;
    }
}
